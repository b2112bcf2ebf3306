import { advice } from '../base/advice.js'
import { hookError, unexpected } from '../base/errors.js'
import { attempt, chain, type MaybePromise } from '../base/maybe-promise.js'
import type { Refusal } from '../headers/refusal.js'
import type { OnReject } from '../headers/reject.js'

/** Gives refusals the bodies that `onReject` makes. A refusal keeps its default body if `onReject` fails. */
export function replying<Request>(
  onReject: OnReject<Request>,
  report: (error: unknown) => void,
): (refusal: Refusal, request: Request) => MaybePromise<Refusal> {
  return (refusal, request) =>
    attempt(
      // Both may run code of the user's: a getter of the reply may throw.
      () => chain(onReject(refusal, request, report), (reply) => replied(refusal, reply, report)),
      (reply) => reply,
      (cause) => {
        report(hookError('onReject()', cause, 'The default body was sent.'))
        return refusal
      },
    )
}

function replied<Reply>(refusal: Refusal, reply: Reply | undefined, report: (error: unknown) => void): Refusal {
  if (reply === undefined) return refusal
  const members = Object(reply) as Record<string, unknown>
  const { json, text, type = TEXT } = members
  const isText = typeof text === 'string' && isHeaderValue(type)
  const body = isText ? { type: type as string, body: text } : jsonOf(json)
  const wrong = (got: unknown, toDo?: string): void =>
    report(unexpected('RAIL_HOOK_FAILED', 'onReject()', REPLY, got, toDo))
  if (body === undefined) wrong(reply)
  else {
    const used = isText ? ['text', 'type'] : ['json']
    const toDo = advice('Remove it. For JSON of another type return { text: JSON.stringify(body), type }.')
    for (const name in members) if (!used.includes(name) && members[name] !== undefined) wrong(name, toDo)
  }
  return { ...refusal, ...body }
}

const REPLY = '{ json } or { text, type? }'
const TEXT = 'text/plain; charset=utf-8'

/** Whether a string can be sent as a header's value (RFC 9110 section 5.5). A framework would throw. */
function isHeaderValue(value: unknown): boolean {
  return typeof value === 'string' && /^[\t\x20-\x7e]+$/.test(value)
}

function jsonOf(value: unknown): { type: string; body: string } | undefined {
  try {
    const body = JSON.stringify(value)
    return body === undefined ? undefined : { type: 'application/json', body }
  } catch {
    return undefined
  }
}
