import { RailError, type RailErrorCode } from '@rail/core'
import type { Call } from './call.js'

/** Why a client does not send, or send again. */
export type ClientErrorCode = Extract<RailErrorCode, 'RAIL_WAIT_TOO_LONG' | 'RAIL_QUOTA_USED' | 'RAIL_QUEUE_FULL'>

/** What a {@link ClientError} knows beside its code. */
export interface ClientErrorDetails {
  /** Milliseconds until a request would be let in, as far as the server told. */
  readonly waitMs?: number | undefined
  /** The same as a moment. */
  readonly retryAt?: Date | undefined
  /**
   * The refusal of this very request, its body unread unless it has waited since; none where it was not sent, because an
   * earlier one was refused.
   */
  readonly response?: Response | undefined
}

/** A request that is not sent, or not sent again: only waiting would help, and the client is told not to wait so long. */
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
  const message = `${shownCall(call)} has to wait ${wait}, which is more than maxWait (${seconds(maxWaitMs)}). Call again then, or raise maxWait.`
  return new ClientError('RAIL_WAIT_TOO_LONG', message, details)
}

/** The error of a call that was refused for a quota: no wait that the client could make would help. */
export function quotaUsed(call: Call, type: string, details: ClientErrorDetails): ClientError {
  const until = details.retryAt === undefined ? '' : ` It is told to come back at ${shownDate(details.retryAt)}.`
  const message = `${shownCall(call)} was refused because a quota is used up (${type}).${until}`
  return new ClientError('RAIL_QUOTA_USED', message, details)
}

/** The error of a call that comes when `maxQueue` others are waiting. */
export function queueFull(call: Call, scope: string, maxQueue: number): ClientError {
  const message = `${shownCall(call)} was not sent: ${maxQueue} calls to ${scope} are waiting already, and maxQueue allows no more. Make fewer calls at once.`
  return new ClientError('RAIL_QUEUE_FULL', message)
}

/** Without the query, which may hold what should not be in a log. */
function shownCall({ method, url }: Call): string {
  return `${method} ${url.replace(/[?#].*/s, '')}`
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`
}

function shownDate(date: Date | undefined): string {
  return date === undefined || Number.isNaN(date.getTime()) ? 'later than a date can say' : date.toISOString()
}
