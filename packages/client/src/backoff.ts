/** How long to wait where the server does not say, and how much longer where it does. */
export interface BackoffOptions {
  readonly baseMs: number
  readonly capMs: number
  /** The part of a wait that the server told which may be added to it, 0 or more. */
  readonly jitter: number
  /** What may be added to a wait that the server told, however short it is. */
  readonly spreadMs: number
  readonly random: () => number
}

/**
 * Milliseconds to wait where the server does not say: at random up to `base * 2^attempt`, at most `cap` (exponential
 * backoff with full jitter).
 *
 * Source: M. Brooker, "Exponential Backoff and Jitter" (2015).
 */
export function backoff(attempt: number, { baseMs, capMs, random }: BackoffOptions): number {
  return random() * Math.min(capMs, baseMs * 2 ** attempt)
}

/**
 * Milliseconds to add to a wait that the server told, never below 0: it is a lower bound. Whoever was refused with others
 * was told the same as they, so all of them would come back at one moment: `spread` keeps them apart, half as much again with
 * every attempt, and for long waits a part of the wait itself does. docs/decisions/client-herd.md says why not twice.
 */
export function waitBeyond(toldMs: number, attempt: number, options: BackoffOptions): number {
  const { capMs, jitter, spreadMs, random } = options
  return random() * Math.max(jitter * toldMs, Math.min(capMs, spreadMs * 1.5 ** attempt))
}
