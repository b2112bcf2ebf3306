import { isPromise, railError, warn } from '@rail/core/store'

/** The user's `onError`, which never throws: an error in it is a warning, and ends neither a request nor the process. */
export function reporting(onError: (error: unknown) => unknown = warn): (error: unknown) => void {
  const failed = (cause: unknown): void =>
    warn(railError('RAIL_HOOK_FAILED', 'onError() of startControlPlane() failed', undefined, { cause }))
  return (error) => {
    try {
      const result = onError(error)
      if (isPromise(result)) result.then(undefined, failed)
    } catch (cause) {
      failed(cause)
    }
  }
}
