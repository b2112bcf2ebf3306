/**
 * Runs a function once, after so many milliseconds, and returns a function that cancels it: `setTimeout` as a value, which
 * tests can replace. It is never called with more than 2^31 - 1 milliseconds, beyond which `setTimeout` fires at once.
 */
export type Timer = (run: () => void, ms: number) => () => void

const LONGEST_MS = 2 ** 31 - 1

/** The default timer: `setTimeout`. */
export const systemTimer: Timer = (run, ms) => {
  const handle = setTimeout(run, ms)
  return () => clearTimeout(handle)
}

/** Runs a function after any number of milliseconds, rounded up. A long wait is several timers. */
export function after(timer: Timer, ms: number, run: () => void): () => void {
  let cancel: () => void
  const step = (left: number): void => {
    cancel = left > LONGEST_MS ? timer(() => step(left - LONGEST_MS), LONGEST_MS) : timer(run, Math.ceil(left))
  }
  step(ms)
  return () => cancel()
}

/** A promise that is fulfilled after so many milliseconds, or rejected with the signal's reason when it aborts. */
export function sleep(timer: Timer, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = after(timer, ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
