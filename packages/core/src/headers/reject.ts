import type { MaybePromise } from '../base/maybe-promise.js'
import type { Refusal } from './refusal.js'

/**
 * A refusal's body: a value that is sent as `application/json`, or a string with its media type. JSON of another type is a
 * string: `{ text: JSON.stringify(body), type: 'application/vnd.api+json' }`. @default for `type`: text/plain in UTF-8
 */
export type RejectReply =
  | { readonly json: unknown; readonly text?: undefined; readonly type?: undefined }
  | { readonly text: string; readonly type?: string | undefined; readonly json?: undefined }

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
