/** A value, or a promise of it. What is synchronous stays so: test for a `then`, not `instanceof Promise`. */
export type MaybePromise<T> = T | PromiseLike<T>

/** Whether a value is a promise of any make. */
export function isPromise<T>(value: MaybePromise<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as PromiseLike<T>).then === 'function'
}

/** `next(value)`, now if the value is here, else when it comes: what is synchronous stays so. */
export function chain<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return isPromise(value) ? value.then(next) : next(value)
}

/** As {@link chain}, with a way on from failure, whether it is thrown or rejected. */
export function attempt<T, U>(
  make: () => MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
  failed: (error: unknown) => MaybePromise<U>,
): MaybePromise<U> {
  let value: MaybePromise<T>
  try {
    value = make()
  } catch (error) {
    return failed(error)
  }
  return isPromise(value) ? value.then(next, failed) : next(value)
}
