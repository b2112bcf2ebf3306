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
  /** How much of it the server told, in milliseconds from now: this is never shortened. */
  readonly toldMs?: number
}
