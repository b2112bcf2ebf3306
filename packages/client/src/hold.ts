/**
 * Why a request waits. `'cool-down'`: after a refusal. `'limit'`: nothing is left of a limit. `'pace'`: the rest of a limit is
 * spread over the time until it resets. `'answer'`: a response in flight will report how many more requests are allowed.
 */
export type WaitReason = 'cool-down' | 'limit' | 'pace' | 'answer'

/** Why and how long the next request of a scope waits. */
export interface Hold {
  /** The latest end, in milliseconds of the client's clock. A response may end it earlier. */
  readonly until: number
  readonly reason: WaitReason
  /** The part of the wait that the server sent, in milliseconds from now. It is never shortened. 0: none. */
  readonly requiredMs: number
}

/** The longest of several holds, with the longest wait that the server sent in any of them. */
export function longest(holds: readonly (Hold | undefined)[]): Hold | undefined {
  let latest: Hold | undefined
  let requiredMs = 0
  for (const hold of holds) {
    if (hold === undefined) continue
    requiredMs = Math.max(requiredMs, hold.requiredMs)
    if (latest === undefined || hold.until > latest.until) latest = hold
  }
  return latest && { ...latest, requiredMs }
}
