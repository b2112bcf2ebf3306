import { railError } from '../base/errors.js'
import { chain } from '../base/maybe-promise.js'
import type { Field } from '../headers/field.js'
import type { Answering } from './answer.js'

/**
 * Adds the headers of a refusal to the response before `onReject` runs, which may answer through it by mistake. The result
 * is whether the request has been answered by then.
 */
export type Announce<Request> = (request: Request, headers: readonly Field[]) => () => boolean

/** Announces the headers before `onReject` runs, and reports one that has answered by itself. */
export function announced<Request>(
  withBody: Answering<Request>['withBody'],
  announce: Announce<Request> | undefined,
  report: (error: unknown) => void,
): Answering<Request>['withBody'] {
  if (announce === undefined) return withBody
  return (refusal, request, headers) => {
    const isAnswered = announce(request, headers)
    const wasAnswered = isAnswered()
    return chain(withBody(refusal, request, headers), (found) => {
      // With a body to send it was not onReject, but perhaps a timeout.
      if (found.body === refusal.body && !wasAnswered && isAnswered()) {
        const fact = 'onReject(): expected to return { json } or { text, type? }, got an answer through the response'
        report(railError('RAIL_HOOK_FAILED', fact, 'Return the body. Status and headers are those of the limiter.'))
      }
      return found
    })
  }
}
