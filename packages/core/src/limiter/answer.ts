import type { MaybePromise } from '../base/maybe-promise.js'
import type { Decision } from '../bucket/decision.js'
import { replacing } from '../headers/field.js'
import type { HeaderStyle } from '../headers/header-style.js'
import { overLimit, unavailable } from '../headers/refusal.js'
import { refusalFields } from '../headers/retry-after.js'
import type { Outcome } from './outcome.js'
import { RecordedOutcome } from './recorded-outcome.js'
import type { Turn } from './request-record.js'

/** Gives a refusing outcome its body. */
export type WithBody<Request> = (outcome: RecordedOutcome, request: Request) => MaybePromise<RecordedOutcome>

/** What an answer is made of. */
export interface Answering<Request> {
  readonly style: HeaderStyle
  readonly jitter: number | undefined
  /** The moment that a clock's reading is, in milliseconds since 1970; `undefined`: now. */
  readonly epochMsOf: (now: number) => number | undefined
  readonly withBody: WithBody<Request>
}

/** The outcome of a decision: headers in any case, and the refusal if there is one. */
export function answerTo<Request>(
  { style, jitter, epochMsOf, withBody }: Answering<Request>,
  { request, record, now }: Turn<Request>,
  decision: Decision,
): MaybePromise<Outcome> {
  const earlier = record.counted.headers
  const fields = style.fieldsFor(decision, epochMsOf(now))
  if (decision.allowed) return new RecordedOutcome(record, decision, replacing(earlier, fields), undefined)
  const refusal = overLimit(decision, jitter)
  const headers = replacing(earlier, fields.concat(refusalFields(refusal.retryAfter)))
  return withBody(new RecordedOutcome(record, decision, headers, refusal), request)
}

/** The outcome when the store has failed and the limiter refuses requests then. It claims nothing about limits. */
export function unavailableTo<Request>(
  { style, jitter, withBody }: Answering<Request>,
  { request, record }: Turn<Request>,
): MaybePromise<Outcome> {
  const refusal = unavailable(jitter)
  const headers = style.fieldsFor(undefined, undefined).concat(refusalFields(refusal.retryAfter))
  return withBody(new RecordedOutcome(record, undefined, headers, refusal), request)
}
