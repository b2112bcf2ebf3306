import { RailError, type RailErrorCode } from '@rail/core'
import type { Call } from './call.js'

/** Why a client does not send a request, or does not send it again. */
export type ClientErrorCode = Extract<RailErrorCode, 'RAIL_WAIT_TOO_LONG' | 'RAIL_QUOTA_USED' | 'RAIL_QUEUE_FULL'>

/** The details of a {@link ClientError}. */
export interface ClientErrorDetails {
  /** Milliseconds until a request would be allowed, if the server sent a wait. */
  readonly waitMs?: number | undefined
  /** The same as a date. */
  readonly retryAt?: Date | undefined
  /**
   * The refusal of this request; its body is unread unless the request has waited since. `undefined` if the request was not
   * sent, because an earlier one was refused.
   */
  readonly response?: Response | undefined
}

/** A request that is not sent, or not sent again, because it would have to wait longer than the options allow. */
export class ClientError extends RailError {
  declare readonly code: ClientErrorCode
  readonly waitMs: number | undefined
  readonly retryAt: Date | undefined
  readonly response: Response | undefined

  constructor(code: ClientErrorCode, message: string, { waitMs, retryAt, response }: ClientErrorDetails = {}) {
    super(code, message)
    this.waitMs = waitMs
    this.retryAt = retryAt
    this.response = response
  }
}

/** The error of a call that would have to wait longer than `maxWait`. */
export function waitTooLong(call: Call, maxWaitMs: number, details: ClientErrorDetails): ClientError {
  const { waitMs, retryAt } = details
  const wait = `${seconds(waitMs ?? 0)}, until ${shownDate(retryAt)}`
  const message = `${shownCall(call)}: expected a wait of at most ${seconds(maxWaitMs)} (maxWait), got ${wait}. Call again then, or raise maxWait.`
  return new ClientError('RAIL_WAIT_TOO_LONG', message, details)
}

/** The error of a call that was refused because a quota is used up: no short wait would help. */
export function quotaUsed(call: Call, type: string, details: ClientErrorDetails): ClientError {
  const until = details.retryAt === undefined ? '' : ` Call again at ${shownDate(details.retryAt)}.`
  const message = `${shownCall(call)}: refused because a quota is used up (${type}).${until}`
  return new ClientError('RAIL_QUOTA_USED', message, details)
}

/** The error of a call while `maxQueue` others are waiting. */
export function queueFull(call: Call, scope: string, maxQueue: number): ClientError {
  const message = `${shownCall(call)}: not sent, because ${maxQueue} calls to ${scope} are waiting already (maxQueue). Make fewer calls at once.`
  return new ClientError('RAIL_QUEUE_FULL', message)
}

/** A call without its query, which may contain secrets. */
function shownCall({ method, url }: Call): string {
  return `${method} ${url.replace(/[?#].*/s, '')}`
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`
}

function shownDate(date: Date | undefined): string {
  return date === undefined || Number.isNaN(date.getTime()) ? 'later than the largest date' : date.toISOString()
}
