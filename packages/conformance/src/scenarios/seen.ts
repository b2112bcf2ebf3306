/** What has been seen in the app of a scenario since it was made, as the suite reads it. */
export interface Seen {
  /** How often a handler ran. */
  readonly handled: number
  /** What reached the app's error handler: codes of RailErrors, messages of others. */
  readonly failed: readonly string[]
  /** What `onError` was told, likewise. */
  readonly told: readonly string[]
  /** How often `onDecision` was told. */
  readonly decisions: number
  /** How many requests wait for others in `identify`. */
  readonly waiting: number
}
