import { RailError } from '@rail/core'
import { isPromise } from '@rail/core/store'

/** Where a failure goes that nobody asked to be told of: Node prints it on standard error, or runs what listens for it. */
export function warn(error: RailError): void {
  process.emitWarning(error)
}

/** An error as RailErrors are: those of Node keep their text, and become the cause. */
export function railError(code: RailError['code'], what: string, cause: unknown): RailError {
  return new RailError(code, `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
}

/** Calls a user's function; what it throws, or rejects with, is reported as a warning and stops nothing. */
export function tell<Given extends unknown[]>(
  listener: ((...given: Given) => unknown) | undefined,
  ...given: Given
): void {
  const failed = (cause: unknown): void =>
    warn(railError('RAIL_HOOK_FAILED', `${listener?.name || 'A function'} given to Rail failed`, cause))
  try {
    const result = listener?.(...given)
    if (isPromise(result)) result.then(undefined, failed)
  } catch (cause) {
    failed(cause)
  }
}
