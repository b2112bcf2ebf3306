/** What the app of a scenario has counted since it was made. */
export interface Seen {
  /** How often a handler ran. */
  readonly handled: number
  /** Errors that reached the app's error handler: codes of RailErrors, messages of others. */
  readonly failed: readonly string[]
  /** Errors that `onError` was called with, likewise. */
  readonly reported: readonly string[]
  /** How often `onDecision` was called. */
  readonly decisions: number
  /** How many requests wait for others in `identify`. */
  readonly waiting: number
}
