import { type Charge, type Decision, MemoryStore, perMinute, perSecond, type Store } from '@rail/core'
import type { ScenarioMaker } from './tools.js'

/** Scenarios about the app around the limiters: where they stand, who calls them, what becomes of its clients and its store. */
export const appScenarios = {
  'called-once': ({ customer, called }) => ({
    limiters: [
      {
        skip: () => {
          called('skip')
          return false
        },
        identify: (request) => {
          called('identify')
          return customer(request)
        },
        limits: () => {
          called('limits')
          return [perMinute(20)]
        },
        cost: () => {
          called('cost')
          return 1
        },
      },
    ],
    mounts: [0, 0],
    routes: { 'GET /costly': { cost: 10 }, 'GET /nested/costly': { cost: 10 } },
  }),
  'missing-limited': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(5)] }],
    mounts: [],
    missing: true,
  }),
  'parts-of-their-own': ({ customer, header }) => ({
    limiters: ['a', 'b'].map((part) => ({
      identify: customer,
      limits: [perMinute(2, { name: part })],
      skip: (request) => header(request, 'x-part') !== part,
    })),
  }),
  'slow-store': ({ customer, cost, called }) => ({
    limiters: [{ identify: customer, limits: [perMinute(5)], cost, store: new SlowAtFirst(() => called('take')) }],
  }),
  'store-fails-late': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(5)], store: new FailsLate() }],
    errorHandler: true,
  }),
  'waits-in-ms': ({ customer }) => ({
    limiters: [
      {
        identify: customer,
        limits: [perSecond(2)],
        onReject: ({ decision }) => ({ text: String(decision?.retryAfterMs) }),
      },
    ],
  }),
} satisfies Record<string, ScenarioMaker>

/** Over a memory store. The first take is answered when the second comes. */
class SlowAtFirst extends MemoryStore {
  readonly #called: () => void
  #answer: (() => void) | undefined
  #takes = 0

  constructor(called: () => void) {
    super()
    this.#called = called
  }

  override take(...given: Parameters<MemoryStore['take']>): Decision {
    this.#called()
    if (this.#takes++ > 0) {
      this.#answer?.()
      return super.take(...given)
    }
    const later = new Promise<void>((resolve) => {
      this.#answer = resolve
    }).then(() => super.take(...given))
    return later as never
  }
}

/** Its connection is lost after two takes, and comes back after two more. */
class FailsLate implements Store {
  readonly #buckets = new MemoryStore()
  #takes = 0

  async take(charges: readonly Charge[], now: number, charged?: readonly Charge[]): Promise<Decision> {
    this.#takes++
    if (this.#takes === 3 || this.#takes === 4) throw new Error('the connection is lost')
    return this.#buckets.take(charges, now, charged)
  }

  async peek(charges: readonly Charge[], now: number): Promise<Decision> {
    return this.#buckets.peek(charges, now)
  }

  async settle(charges: readonly Charge[], actualCost: number, now: number): Promise<void> {
    this.#buckets.settle(charges, actualCost, now)
  }

  async reset(key: string, scope?: string): Promise<void> {
    this.#buckets.reset(key, scope)
  }
}
