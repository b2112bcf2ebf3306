import { RailError } from '@rail/core'
import { hasKey, type Outgoing } from './call.js'
import type { Settings } from './client-options.js'
import type { GiveUpReason } from './hooks.js'
import type { RetryBudget } from './retry-budget.js'

/** What a request came to: a response, or an error that `fetch` threw. */
export interface Result {
  readonly response: Response | undefined
  readonly error: unknown
}

/**
 * Statuses after which the same request may well be served. 401 and 403 are not among them: whoever may not, may not a
 * moment later, and asking again looks like an attack.
 */
const PASSING: readonly number[] = [408, 429, 500, 502, 503, 504]

/** Methods that may be repeated without harm (RFC 9110 section 9.2.2; QUERY: RFC 9110's registry). */
const IDEMPOTENT: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE', 'QUERY']

/** Whether a result is final, whatever could be done about it. */
export function isFinal({ response }: Result): boolean {
  return response !== undefined && !PASSING.includes(response.status)
}

/**
 * Whether there is no answer for a reason that asking again does not change. `fetch` throws where nobody can send such a
 * request (a GET with a body, an unknown value of an option), and says so in the same words as of a connection that broke:
 * the request is made once more to see, and not sent. An error of Rail's is of a client behind this one, or of what the
 * option `fetch` returned.
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

/** A fetch of the user's may know what a relative address is relative to. */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:/i

/** Whether a call could be made again at all: it is safe to, and its body is still there. */
export function barrierTo({ call, replayable }: Outgoing, { repeatable }: Settings): 'unsafe' | 'stream' | undefined {
  const safe = IDEMPOTENT.includes(call.method) || hasKey(call.headers) || repeatable?.(call) === true
  if (!safe) return 'unsafe'
  return replayable ? undefined : 'stream'
}

/**
 * Why a call is not made again after a result that is not final; `undefined`: it is. A 429 is not charged to the budget:
 * the server is not failing, and one request at a time asks it when to come.
 *
 * @param retry Which retry it would be, from 1.
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
