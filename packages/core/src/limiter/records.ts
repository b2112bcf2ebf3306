import { type RecordingLimiter, RequestRecord } from './request-record.js'
import { RequestState, stateOfResponse } from './request-state.js'

/** The place of a framework for what belongs to one request, such as Express's `res.locals`. */
export interface Bag<Request> {
  /** The value that `set` has kept for this request; `undefined` if it is gone, or was never there. */
  get(request: Request): unknown
  /** Keeps a value. Returns `false` where there is no place for it, as in a test's mock. */
  set(request: Request, value: object): boolean
  /**
   * Node's response to this request. Once `addFields` has added headers to it, a request is known by it, even if its bag was
   * replaced. @default none
   */
  response?(request: Request): object | undefined
}

/**
 * The records of one limiter, by their requests. They are kept in the framework's bag. The garbage collector visits each
 * entry of a WeakMap, so that one for each request makes its pauses several times as long.
 */
export class Records<Request> {
  readonly #limiter: RecordingLimiter
  readonly #bag: Bag<Request> | undefined

  constructor(limiter: RecordingLimiter, bag: Bag<Request> | undefined) {
    this.#limiter = limiter
    this.#bag = bag
  }

  find(request: Request): RequestRecord | undefined {
    return this.#stateOf(request)?.of(this.#limiter) as RequestRecord | undefined
  }

  /** A new record for a request, in place of the one that there may be. */
  make(request: Request): RequestRecord {
    const record = new RequestRecord(this.#limiter)
    const state = this.#stateOf(request) ?? this.#newState(request)
    record.isSent = (state.of(this.#limiter) as RequestRecord | undefined)?.isSent === true
    record.state = state
    state.put(record)
    return record
  }

  #newState(request: Request): RequestState {
    const state = new RequestState()
    if (this.#bag?.set(request, state) !== true) {
      hasUnbagged = true
      unbagged.set(request as object, state)
    }
    return state
  }

  #stateOf(request: Request): RequestState | undefined {
    const known = this.#bag?.get(request) ?? stateOfResponse(this.#bag?.response?.(request))
    if (known !== undefined) return known as RequestState
    return hasUnbagged ? unbagged.get(request as object) : undefined
  }
}

/** The states of requests without a bag, for all limiters. */
const unbagged = new WeakMap<object, RequestState>()
let hasUnbagged = false
