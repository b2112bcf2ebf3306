import { advice } from '../base/advice.js'
import { hookError, unexpected } from '../base/errors.js'
import { attempt, chain } from '../base/maybe-promise.js'
import type { Refusal } from '../headers/refusal.js'
import type { OnReject } from '../headers/reject.js'
import type { WithBody } from './answer.js'

/** Gives refusals the bodies that `onReject` makes. A refusal keeps its default body if `onReject` fails. */
export function replying<Request>(onReject: OnReject<Request>, report: (error: unknown) => void): WithBody<Request> {
  return (outcome, request) => {
    const refusal = outcome.refusal as Refusal
    return attempt(
      // Both may run code of the user's: a getter of the reply may throw.
      () => chain(onReject(refusal, request, report), (reply) => bodyOf(reply, report)),
      (body) => (body === undefined ? outcome : outcome.with({ ...refusal, ...body })),
      (cause) => {
        report(hookError('onReject()', cause, 'The default body was sent.'))
        return outcome
      },
    )
  }
}

/** The body of a reply; `undefined`: the default body. */
function bodyOf(reply: unknown, report: (error: unknown) => void): Pick<Refusal, 'type' | 'body'> | undefined {
  if (reply === undefined) return undefined
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
  return body
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
