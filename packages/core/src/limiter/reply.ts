import { advice } from '../base/advice.js'
import { RailError, unexpected } from '../base/errors.js'
import { attempt, type MaybePromise } from '../base/maybe-promise.js'
import type { Refusal } from '../headers/refusal.js'
import type { OnReject, RejectReply } from '../headers/reject.js'

/** Gives refusals the bodies that `onReject` makes. A refusal keeps its default body if `onReject` fails. */
export function replying<Request>(
  onReject: OnReject<Request>,
  report: (error: unknown) => void,
): (refusal: Refusal, request: Request) => MaybePromise<Refusal> {
  return (refusal, request) =>
    attempt(
      () => onReject(refusal, request, report),
      (reply) => replied(refusal, reply, report),
      (cause) => {
        report(new RailError('RAIL_HOOK_FAILED', 'onReject() failed; the default body was sent.', { cause }))
        return refusal
      },
    )
}

function replied(refusal: Refusal, reply: RejectReply | undefined, report: (error: unknown) => void): Refusal {
  if (reply === undefined) return refusal
  const body = bodyOf(reply)
  const unknown = Object.keys(reply ?? {}).find((name) => !(body?.members ?? MEMBERS).includes(name))
  if (body === undefined || unknown !== undefined) {
    const got = body === undefined ? reply : { [unknown as string]: true }
    report(wrongReply(got, unknown))
  }
  return body === undefined ? refusal : { ...refusal, type: body.type, body: body.text }
}

function wrongReply(got: unknown, unknown: string | undefined): RailError {
  if (unknown === undefined) return unexpected('RAIL_HOOK_FAILED', 'onReject()', REPLY, got)
  const toDo = advice('Remove it: status and headers of a refusal cannot be changed.')
  return unexpected('RAIL_HOOK_FAILED', 'onReject()', `${REPLY} and nothing else`, unknown, toDo)
}

const REPLY = '{ json } or { text, type? }'
const MEMBERS = ['json', 'text', 'type']

interface Body {
  readonly type: string
  readonly text: string
  /** The members of the reply that made it. */
  readonly members: readonly string[]
}

function bodyOf(reply: RejectReply): Body | undefined {
  if (typeof reply !== 'object' || reply === null) return undefined
  const { text, type = 'text/plain; charset=utf-8' } = reply as Partial<Extract<RejectReply, { text: string }>>
  if (typeof text === 'string') return isHeaderValue(type) ? { type, text, members: ['text', 'type'] } : undefined
  const json = 'json' in reply ? jsonOf(reply.json) : undefined
  return json === undefined ? undefined : { type: 'application/json', text: json, members: ['json'] }
}

/** Whether a string can be sent as a header's value (RFC 9110 section 5.5). A framework would throw. */
function isHeaderValue(value: unknown): boolean {
  return typeof value === 'string' && /^[\t\x20-\x7e]+$/.test(value)
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
