/**
 * Why a request waits: the server told to (`'cool-down'`); nothing is left of a limit (`'limit'`); what is left is spread
 * over the time until it resets (`'pace'`); an answer on its way will tell how many more may go (`'answer'`).
 */
export type WaitReason = 'cool-down' | 'limit' | 'pace' | 'answer'

/** What keeps the next request of a scope from being sent. */
export interface Hold {
  /** Until when at the latest, in milliseconds of the client's clock. An answer may end it earlier. */
  readonly until: number
  readonly reason: WaitReason
  /** How much of it the server told, in milliseconds from now: this is never shortened. 0: nothing. */
  readonly toldMs: number
}

/** What holds longest of several, with the longest wait that the server told in any of them. */
export function longest(holds: readonly (Hold | undefined)[]): Hold | undefined {
  let latest: Hold | undefined
  let toldMs = 0
  for (const hold of holds) {
    if (hold === undefined) continue
    toldMs = Math.max(toldMs, hold.toldMs)
    if (latest === undefined || hold.until > latest.until) latest = hold
  }
  return latest && { ...latest, toldMs }
}
