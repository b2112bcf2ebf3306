import { RailError } from '@rail/core'
import { isPromise, warn } from '@rail/core/store'

/** A RailError with the message of another error, which becomes its cause. */
export function errorFrom(code: RailError['code'], what: string, cause: unknown): RailError {
  return new RailError(code, `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
}

/** Calls a user's function. If it throws or rejects, the error is reported as a warning, and nothing else stops. */
export function callHook<Given extends unknown[]>(
  listener: ((...given: Given) => unknown) | undefined,
  ...given: Given
): void {
  const failed = (cause: unknown): void =>
    warn(errorFrom('RAIL_HOOK_FAILED', `${listener?.name || 'A function'} given to Rail failed`, cause))
  try {
    const result = listener?.(...given)
    if (isPromise(result)) result.then(undefined, failed)
  } catch (cause) {
    failed(cause)
  }
}
