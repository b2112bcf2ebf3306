import type { Field } from '../headers/field.js'

/** Headers that a response gets when its head is written, as they are then. */
export interface Sent {
  readonly headers: readonly Field[]
  /** Whose they are: a limiter, or an outcome that no limiter has made. */
  readonly source: object
  next: Sent | undefined
}

/** What limiters remember of one request: a record of each, in the order in which they met it. */
export class RequestState {
  first: Sent | undefined = undefined
  /** The response whose head has the headers. */
  response: object | undefined = undefined

  /** What a source has put here. */
  of(source: object): Sent | undefined {
    let it = this.first
    while (it !== undefined && it.source !== source) it = it.next
    return it
  }

  /** Puts headers in the place of those of the same source, or last. */
  put(sent: Sent): void {
    let before: Sent | undefined
    let it = this.first
    while (it !== undefined && it.source !== sent.source) {
      before = it
      it = it.next
    }
    sent.next = it?.next
    if (before === undefined) this.first = sent
    else before.next = sent
  }
}

/** What a response that sends a request's headers has its `writeHead` marked with. */
export const STATE = Symbol('rail.state')

interface Sending {
  readonly writeHead?: { readonly [STATE]?: RequestState | undefined } | undefined
}

const NO_RESPONSE: Sending = {}

/** The state of the request that a response answers, once it sends the headers of one limiter. */
export function stateOfResponse(response: object | undefined): RequestState | undefined {
  const { writeHead } = (response ?? NO_RESPONSE) as Sending
  return writeHead?.[STATE]
}
