/** The waits that a client chooses: without a wait from the server, and in addition to one. */
export interface BackoffOptions {
  readonly baseMs: number
  readonly capMs: number
  /** The part of a server's wait that may be added to it, 0 or more. */
  readonly jitter: number
  /** The time that may be added to any server's wait, even a short one. */
  readonly spreadMs: number
  readonly random: () => number
}

/**
 * Milliseconds to wait without a wait from the server: a random time up to `base * 2^attempt`, at most `cap` (exponential
 * backoff with full jitter).
 *
 * Source: M. Brooker, "Exponential Backoff and Jitter" (2015).
 */
export function backoff(attempt: number, { baseMs, capMs, random }: BackoffOptions): number {
  return random() * Math.min(capMs, baseMs * 2 ** attempt)
}

/**
 * Milliseconds to add to a server's wait, never below 0: the wait is a lower bound. Clients that were refused together got
 * the same wait, and would come back together. A random part of `spread`, 1.5 times as long with each attempt, keeps them
 * apart; for long waits, a part of the wait does. docs/decisions/client-herd.md explains the factor.
 */
export function waitBeyond(requiredMs: number, attempt: number, options: BackoffOptions): number {
  const { capMs, jitter, spreadMs, random } = options
  return random() * Math.max(jitter * requiredMs, Math.min(capMs, spreadMs * 1.5 ** attempt))
}
