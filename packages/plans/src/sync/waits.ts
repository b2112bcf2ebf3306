/** The longest wait after a failure, so that a change takes effect soon after the control plane is back. */
const LONGEST_BACKOFF_MS = 15_000
/** The longest `Retry-After` that is respected. */
const LONGEST_RETRY_AFTER_MS = 300_000
/** The wait after a refusal that only a person can correct (a token, a path). */
const REFUSED_MS = 60_000

/**
 * The wait after a failure, in milliseconds: a random part of a time that doubles, so that servers that failed together do
 * not come back together.
 *
 * @param failures The number of failures in a row, 1 or more.
 * @param status The status of the answer; 0: no answer.
 * @param random A number from 0 to 1.
 */
export function waitAfterFailure(
  failures: number,
  status: number,
  retryAfterMs: number | undefined,
  random: number,
): number {
  if (status === 401 || status === 403 || status === 404) return REFUSED_MS * (0.8 + 0.2 * random)
  const doubled = Math.min(LONGEST_BACKOFF_MS, 500 * 2 ** Math.min(failures, 10))
  const backoff = Math.max(100, doubled * random)
  return Math.max(backoff, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS))
}

/** The largest part of the requested time that a wait takes: the rest is for the exchange itself. */
const LONGEST_PART = 0.95

/**
 * The wait after an answer, in milliseconds. The first wait of a process is any part of the requested time, so that servers
 * that started together spread out. Later waits are a little shorter than requested, so that they stay spread out, and a
 * change is in force before the time is over.
 */
export function waitAfterAnswer(nextSyncMs: number, isFirst: boolean, random: number): number {
  return nextSyncMs * (isFirst ? LONGEST_PART * random : LONGEST_PART - 0.2 * (1 - random))
}
