import type { Decision } from '../bucket/decision.js'
import type { Charge } from '../limit/charge.js'
import type { Limit } from '../limit/limit.js'
import { share } from '../limit/share.js'
import { MemoryStore } from '../memory/memory-store.js'

/** Where buckets are while the store is away: in this process, each limit at this server's share. */
export class LocalStore extends MemoryStore {
  readonly #servers: number | (() => number)
  /** Shares as they were made for `#sharedBy` servers, so that they are made once for each set of limits. */
  #shares = new WeakMap<readonly Limit[], readonly Limit[]>()
  #sharedBy = 1

  constructor(servers: number | (() => number) = 1) {
    super()
    this.#servers = servers
  }

  override take(charges: readonly Charge[], now: number, before?: readonly Charge[]): Decision {
    return super.take(this.#shared(charges), now, before)
  }

  override settle(charges: readonly Charge[], actual: number, now: number): void {
    super.settle(this.#shared(charges), actual, now)
  }

  #shared(charges: readonly Charge[]): readonly Charge[] {
    const servers = typeof this.#servers === 'number' ? this.#servers : this.#servers()
    if (servers !== this.#sharedBy) this.#shares = new WeakMap()
    this.#sharedBy = servers
    return charges.map((charge) => ({ ...charge, limits: this.#sharesOf(charge.limits) }))
  }

  #sharesOf(limits: readonly Limit[]): readonly Limit[] {
    const known = this.#shares.get(limits)
    if (known !== undefined) return known
    const shares = limits.map((limit) => share(limit, this.#sharedBy))
    this.#shares.set(limits, shares)
    return shares
  }
}
