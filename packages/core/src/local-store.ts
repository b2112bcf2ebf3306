import type { Charge } from './charge.js'
import type { Decision } from './decision.js'
import { MemoryStore } from './memory-store.js'
import { share } from './share.js'

/** Where buckets are while the store is away: in this process, each limit at this server's share. */
export class LocalStore extends MemoryStore {
  readonly #servers: number | (() => number)

  constructor(servers: number | (() => number) = 1) {
    super()
    this.#servers = servers
  }

  override take(charges: readonly Charge[], now: number): Decision {
    const servers = typeof this.#servers === 'number' ? this.#servers : this.#servers()
    return super.take(
      charges.map((charge) => ({ ...charge, limits: charge.limits.map((limit) => share(limit, servers)) })),
      now,
    )
  }
}
