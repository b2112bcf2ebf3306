/** A value, or a promise of it. Synchronous values stay synchronous: test for a `then`, not `instanceof Promise`. */
export type MaybePromise<T> = T | PromiseLike<T>

/** Whether a value is a promise of any make. */
export function isPromise<T>(value: MaybePromise<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as PromiseLike<T>).then === 'function'
}

/** Calls `next` with the value: now if it is here, else once the promise resolves. */
export function chain<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return isPromise(value) ? value.then(next) : next(value)
}

/** Like {@link chain}, for a value that may fail: `failed` gets what was thrown or rejected. */
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

/** Like {@link chain}, but `next` gets what it needs as a second argument: a closure for each request would be garbage. */
export function pass<T, Context, U>(
  value: MaybePromise<T>,
  next: (value: T, context: Context) => MaybePromise<U>,
  context: Context,
): MaybePromise<U> {
  return isPromise(value) ? value.then((found) => next(found, context)) : next(value, context)
}
