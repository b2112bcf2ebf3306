/** The longest wait after a failure: a change must not be felt much later than that once all is well again. */
const LONGEST_BACKOFF_MS = 15_000
/** A wait that a control plane asks for by Retry-After is kept, up to this. */
const LONGEST_RETRY_AFTER_MS = 300_000
/** How often what only people can mend (a token, a path) is tried again. */
const REFUSED_MS = 60_000

/**
 * How long to wait after a failure, in milliseconds: a random part of a time that doubles, so that servers that failed
 * together do not come back together.
 *
 * @param failures How many there were in a row, from 1.
 * @param status What was answered; 0: nothing.
 * @param random From 0 to 1.
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

/** The part of the asked time that a wait never passes: in the rest the answer comes, and is read. */
const LONGEST_PART = 0.95

/**
 * How long to wait after an answer, in milliseconds. The first wait of a process is any part of the time, so that a fleet
 * that started together spreads out; later ones are a little shorter than asked for, so that it stays so, and so that a
 * change is in force before the time is over.
 */
export function waitAfterAnswer(nextSyncMs: number, isFirst: boolean, random: number): number {
  return nextSyncMs * (isFirst ? LONGEST_PART * random : LONGEST_PART - 0.2 * (1 - random))
}
