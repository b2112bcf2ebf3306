import { RailError } from '@rail/core'
import { hasKey, type Outgoing } from './call.js'
import type { Settings } from './client-options.js'
import type { GiveUpReason } from './hooks.js'
import type { RetryBudget } from './retry-budget.js'

/** The result of a request: a response, or an error of `fetch`. */
export interface Result {
  readonly response: Response | undefined
  readonly error: unknown
}

/**
 * Statuses after which the same request may succeed later. 401 and 403 are not among them: a repetition would not succeed,
 * and would look like an attack.
 */
const PASSING: readonly number[] = [408, 429, 500, 502, 503, 504]

/** Methods that may be repeated without harm (RFC 9110 section 9.2.2; QUERY: RFC 9110's registry). */
const IDEMPOTENT: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE', 'QUERY']

/** Whether a result is final, so that a retry would not change it. */
export function isFinal({ response }: Result): boolean {
  return response !== undefined && !PASSING.includes(response.status)
}

/**
 * Whether `fetch` threw for a reason that a retry does not change. It throws the same error for a broken connection and for a
 * request that cannot be sent (a GET with a body, an unknown value of an option). To distinguish them, the request is
 * constructed again, without sending it. An error of Rail's comes from a client behind this one, or from the result of
 * the option `fetch`.
 */
export function isMistake({ call, args }: Outgoing, { response, error }: Result): boolean {
  if (response === undefined && error instanceof RailError) return true
  if (response !== undefined || !(error instanceof TypeError) || !ABSOLUTE.test(call.url)) return false
  try {
    const [input, init] = args(true)
    const { signal, ...rest } = init ?? {}
    new Request(input, rest)
    return false
  } catch {
    return true
  }
}

/** A `fetch` of the user's may accept relative URLs. */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:/i

/** Why a call cannot be repeated at all: it is not safe to repeat, or its body is gone. `undefined`: it can. */
export function barrierTo({ call, replayable }: Outgoing, { repeatable }: Settings): 'unsafe' | 'stream' | undefined {
  const safe = IDEMPOTENT.includes(call.method) || hasKey(call.headers) || repeatable?.(call) === true
  if (!safe) return 'unsafe'
  return replayable ? undefined : 'stream'
}

/**
 * Why a call is not repeated after a result that is not final; `undefined`: it is repeated. A 429 is not charged to the
 * budget: the server is not failing, and after the cool-down one request goes first.
 *
 * @param retry The number of the retry, from 1.
 */
export function reasonToStop(
  { response }: Result,
  retry: number,
  barrier: GiveUpReason | undefined,
  settings: Settings,
  budget: RetryBudget,
): GiveUpReason | undefined {
  if (barrier !== undefined) return barrier
  if (retry > settings.retries) return 'retries'
  if (response?.status === 429) return undefined
  return budget.spend() ? undefined : 'budget'
}
