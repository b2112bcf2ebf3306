import { railError } from '../base/errors.js'
import { chain } from '../base/maybe-promise.js'
import type { WithBody } from './answer.js'
import type { Outcome } from './outcome.js'

/**
 * Adds the headers of a refusal to the response before `onReject` runs, which may answer through it by mistake. The result
 * is whether the request has been answered by then.
 */
export type Announce<Request> = (request: Request, outcome: Outcome) => () => boolean

/** Announces the headers before `onReject` runs, and reports one that has answered by itself. */
export function announced<Request>(
  withBody: WithBody<Request>,
  announce: Announce<Request> | undefined,
  report: (error: unknown) => void,
): WithBody<Request> {
  if (announce === undefined) return withBody
  return (outcome, request) => {
    outcome.show()
    const isAnswered = announce(request, outcome)
    const wasAnswered = isAnswered()
    return chain(withBody(outcome, request), (found) => {
      // With a body to send it was not onReject, but perhaps a timeout.
      if (found === outcome && !wasAnswered && isAnswered()) {
        const fact = 'onReject(): expected to return { json } or { text, type? }, got an answer through the response'
        report(railError('RAIL_HOOK_FAILED', fact, 'Return the body. Status and headers are those of the limiter.'))
      }
      return found
    })
  }
}
