import type { MaybePromise, Store } from '@rail/core'
import { describe, test } from 'vitest'
import { STORE_CHECKS } from './store-checks/index.js'

/** How {@link testStore} gets at a store. */
export interface StoreHarness {
  /** What the store is called in the report. */
  readonly name: string
  /** A store without any buckets, that takes the `now` it is given as the time. Called once for each test. */
  create(): MaybePromise<Store>
  /** Puts away what `create` made. */
  destroy?(store: Store): MaybePromise<void>
}

/**
 * Declares the tests that every store passes, one for each sentence of the specification.
 *
 * @example
 * testStore({ name: 'memory', create: () => new MemoryStore() })
 */
export function testStore({ name, create, destroy }: StoreHarness): void {
  describe(`the store ${name}`, () => {
    for (const { name: sentence, check } of STORE_CHECKS) {
      test(sentence, async () => {
        const store = await create()
        try {
          await check(store)
        } finally {
          await destroy?.(store)
        }
      })
    }
  })
}
