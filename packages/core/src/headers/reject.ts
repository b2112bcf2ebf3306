import type { MaybePromise } from '../base/maybe-promise.js'
import type { Refusal } from './refusal.js'

/** A refusal's body: an object that is sent as JSON, or a string (`text/plain` unless `type` says otherwise). */
export type RejectReply = { readonly json: unknown } | { readonly text: string; readonly type?: string | undefined }

/**
 * The option `onReject`: makes the body of a refusal. `undefined` leaves the default body.
 *
 * @param refusal The refusal, with its default body.
 * @param report Reports an error to `onError`.
 */
export type OnReject<Request> = (
  refusal: Refusal,
  request: Request,
  report: (error: unknown) => void,
) => MaybePromise<RejectReply | undefined>
