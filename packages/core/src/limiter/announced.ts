import { railError } from '../base/errors.js'
import { chain, isPromise } from '../base/maybe-promise.js'
import type { WithBody } from './answer.js'
import type { Outcome } from './outcome.js'

/** Adds the headers of a refusal to the response before `onReject` runs, which may answer through it by mistake. */
export type Announce<Request> = (request: Request, outcome: Outcome) => Announced

/** A response, as far as `onReject` may have changed it. */
export interface Announced {
  /** Whether the request has been answered by now, or its answer has begun. */
  isAnswered(): boolean
  /** Ends an answer that has begun, where nothing else does. */
  end?(): void
}

/** Announces the headers before `onReject` runs, and reports one that has answered by itself. */
export function announced<Request>(
  withBody: WithBody<Request>,
  announce: Announce<Request> | undefined,
  report: (error: unknown) => void,
): WithBody<Request> {
  if (announce === undefined) return withBody
  return (outcome, request) => {
    outcome.show()
    const response = announce(request, outcome)
    const wasAnswered = response.isAnswered()
    const made = withBody(outcome, request)
    const isLater = isPromise(made)
    return chain(made, (found) => {
      // Meanwhile a timeout may have answered: then onReject most likely has a body to send.
      const isOwn = !isLater || found === outcome
      if (isOwn && !wasAnswered && response.isAnswered()) {
        response.end?.()
        const fact = 'onReject(): expected to return { json } or { text, type? }, got an answer through the response'
        report(railError('RAIL_HOOK_FAILED', fact, 'Return the body. Status and headers are those of the limiter.'))
      }
      return found
    })
  }
}
