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
  /** How often the middleware right behind the limiters ran. */
  readonly passed: number
  /** How often each of the scenario's own functions was called, where it counts calls. */
  readonly called: Readonly<Record<string, number>>
  /** The names of limiters' options that are not what they were when the limiter was made. */
  readonly changed: readonly string[]
  /** How many requests wait for others in `identify`. */
  readonly waiting: number
}
