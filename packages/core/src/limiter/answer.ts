import { RailError, SEE_CAUSE, shown } from '../base/errors.js'
import type { MaybePromise } from '../base/maybe-promise.js'
import { attempt } from '../base/maybe-promise.js'
import type { Decision } from '../bucket/decision.js'
import { fieldsFor } from '../headers/draft-11.js'
import type { Field } from '../headers/field.js'
import { bodyMaker } from '../headers/problem.js'
import { overLimit, type Refusal, unavailable } from '../headers/refusal.js'
import type { RejectReply } from './options.js'
import type { Settings } from './settings.js'

/** What is sent for one request: header fields on every answer, and the refusal if there is one. */
export interface Answer {
  readonly headers: readonly Field[]
  readonly refusal: Refusal | undefined
}

/** The answer to a decision. `now` is the reading of the limiter's clock that it was made at. */
export function answerTo<Request>(
  decision: Decision,
  now: number,
  request: Request,
  settings: Settings<Request>,
  tell: (error: unknown) => void,
): MaybePromise<Answer> {
  if (settings.dryRun === true) return NOTHING
  const { styles, clockIsEpoch } = settings
  const fields = styles.length === 0 ? [] : fieldsFor(decision, styles, clockIsEpoch ? now : undefined)
  if (decision.allowed) return { headers: exposed(fields, settings), refusal: undefined }
  const refusal = overLimit(decision, settings, bodyMaker(settings.body, request, tell))
  return refused(refusal, fields, request, settings, tell)
}

/** The answer when the store has failed and the limiter is told to refuse then: no decision, so no field but a refusal's. */
export function unavailableTo<Request>(
  request: Request,
  settings: Settings<Request>,
  tell: (error: unknown) => void,
): MaybePromise<Answer> {
  return refused(unavailable(settings, bodyMaker(settings.body, request, tell)), [], request, settings, tell)
}

/** The answer of a refusal: its own fields behind `fields`, and the user's body where there is one. */
function refused<Request>(
  refusal: Refusal,
  fields: readonly Field[],
  request: Request,
  settings: Settings<Request>,
  tell: (error: unknown) => void,
): MaybePromise<Answer> {
  const headers = exposed(fields.concat(refusalFields(refusal)), settings)
  const { onReject } = settings
  if (onReject === undefined) return { headers, refusal }
  return attempt(
    () => onReject(refusal, request),
    (reply) => ({ headers, refusal: replied(refusal, reply, tell) }),
    (cause) => {
      tell(new RailError('RAIL_HOOK_FAILED', `onReject failed; the default body was sent. ${SEE_CAUSE}`, { cause }))
      return { headers, refusal }
    },
  )
}

/** No headers, and the request goes on. */
export const NOTHING: Answer = Object.freeze({ headers: Object.freeze([]), refusal: undefined })

/** A refusal must not be kept by a cache (RFC 6585 section 4), whatever the handler before it allowed. */
function refusalFields({ retryAfter }: Refusal): Field[] {
  if (retryAfter === undefined) return [NO_STORE]
  return [{ name: 'Retry-After', value: String(retryAfter), merge: 'larger' }, NO_STORE]
}

const NO_STORE: Field = Object.freeze({ name: 'Cache-Control', value: 'no-store', merge: 'replace' })

function exposed<Request>(fields: readonly Field[], { exposeHeaders }: Settings<Request>): readonly Field[] {
  if (exposeHeaders !== true || fields.length === 0) return fields
  const names = fields.map((field) => field.name).filter((name) => name !== 'Cache-Control')
  return [...fields, { name: 'Access-Control-Expose-Headers', value: names.join(', '), merge: 'list' }]
}

function replied(refusal: Refusal, reply: RejectReply | undefined, tell: (error: unknown) => void): Refusal {
  if (typeof reply === 'object' && reply !== null) {
    const { text, type = 'text/plain; charset=utf-8' } = reply as Partial<Extract<RejectReply, { text: string }>>
    if (typeof text === 'string' && isFieldValue(type)) return { ...refusal, type, body: text }
    const body = 'json' in reply ? jsonOf(reply.json) : undefined
    if (body !== undefined) return { ...refusal, type: 'application/json', body }
  }
  if (reply !== undefined) {
    tell(
      new RailError(
        'RAIL_HOOK_FAILED',
        `onReject returns { json } or { text, type? }, got ${shown(reply)}; the default body was sent. Return one.`,
      ),
    )
  }
  return refusal
}

/** Whether a text can be sent as a header field's value (RFC 9110 section 5.5). A framework would throw. */
function isFieldValue(value: unknown): boolean {
  return typeof value === 'string' && /^[\t\x20-\x7e]+$/.test(value)
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
