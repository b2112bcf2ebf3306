import type { MaybePromise } from '../base/maybe-promise.js'
import type { Decision } from '../bucket/decision.js'
import type { Field } from '../headers/field.js'
import type { HeaderStyle } from '../headers/header-style.js'
import { overLimit, type Refusal, unavailable } from '../headers/refusal.js'
import { refusalFields } from '../headers/retry-after.js'

/** What is sent for one request: headers in any case, and the refusal if there is one. */
export interface Answer {
  readonly headers: readonly Field[]
  readonly refusal: Refusal | undefined
}

/** What an answer is made of. */
export interface Answering<Request> {
  readonly style: HeaderStyle
  readonly jitter: number | undefined
  /** The moment that a clock's reading is, in milliseconds since 1970; `undefined`: now. */
  readonly epochMsOf: (now: number) => number | undefined
  /** The refusal with its body. */
  readonly withBody: (refusal: Refusal, request: Request, headers: readonly Field[]) => MaybePromise<Refusal>
}

/** The answer to a decision that was made at the reading `now` of the limiter's clock. */
export function answerTo<Request>(
  { style, jitter, epochMsOf, withBody }: Answering<Request>,
  decision: Decision,
  now: number,
  request: Request,
): MaybePromise<Answer> {
  const headers = style.fieldsFor(decision, epochMsOf(now))
  return decision.allowed
    ? { headers, refusal: undefined }
    : refused(overLimit(decision, jitter), headers, withBody, request)
}

/** The answer when the store has failed and the limiter refuses requests then. It claims nothing about limits. */
export function unavailableTo<Request>(
  { style, jitter, withBody }: Answering<Request>,
  request: Request,
): MaybePromise<Answer> {
  return refused(unavailable(jitter), style.fieldsFor(undefined, undefined), withBody, request)
}

function refused<Request>(
  refusal: Refusal,
  fields: readonly Field[],
  withBody: Answering<Request>['withBody'],
  request: Request,
): MaybePromise<Answer> {
  const headers = fields.concat(refusalFields(refusal.retryAfter))
  const found = withBody(refusal, request, headers)
  return 'then' in found ? found.then((refusal) => ({ headers, refusal })) : { headers, refusal: found }
}
