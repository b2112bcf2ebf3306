/** How long a look-up may take, and a request may wait for those of others, in milliseconds. */
export const MOST_MS = 10_000

/** Calls `late` after {@link MOST_MS}, unless the function that it returns is called before. Keeps no process alive. */
export function after(late: () => void): () => void {
  const timer = setTimeout(late, MOST_MS)
  // A number in browsers and edge runtimes.
  if (typeof timer === 'object') timer.unref()
  return () => clearTimeout(timer)
}

/** The same result, or the error of `tooLate` where it is not there within {@link MOST_MS}. */
export function within<Value>(value: PromiseLike<Value>, tooLate: () => Error): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = after(() => reject(tooLate()))
    value.then(
      (found) => {
        stop()
        resolve(found)
      },
      (error) => {
        stop()
        reject(error)
      },
    )
  })
}
