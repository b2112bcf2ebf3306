import type { Bag } from './records.js'
import { type RecordingLimiter, RequestRecord } from './request-record.js'

/** Stands in for `records.ts` in the edge build: there is no response of Node's by which a request could be known. */
export class Records<Request extends object> {
  readonly #limiter: RecordingLimiter
  readonly #bag: Pick<Bag<Request>, 'get' | 'set'> | WeakMap<Request, unknown>

  constructor(limiter: RecordingLimiter, bag: Bag<Request> | undefined) {
    this.#limiter = limiter
    this.#bag = bag ?? new WeakMap()
  }

  find(request: Request): RequestRecord | undefined {
    return this.#recordsOf(request)?.get(this.#limiter)
  }

  make(request: Request): RequestRecord {
    const record = new RequestRecord(this.#limiter)
    const known = this.#recordsOf(request)
    if (known === undefined) this.#bag.set(request, new Map([[this.#limiter, record]]))
    else known.set(this.#limiter, record)
    return record
  }

  #recordsOf(request: Request): Map<RecordingLimiter, RequestRecord> | undefined {
    return this.#bag.get(request) as Map<RecordingLimiter, RequestRecord> | undefined
  }
}
