import type { MaybePromise, Store } from '@rail/core'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { STORE_CHECKS } from './store-checks/index.js'
import { program, vectorOf } from './vectors/programs.js'
import { checkVector, vectors } from './vectors/vectors.js'

/** How {@link testStore} makes a store. */
export interface StoreHarness {
  /** The store's name in the report. */
  readonly name: string
  /** Makes a store without any buckets, whose time is the `now` of each call. Called once for each test. */
  create(): MaybePromise<Store>
  /** Closes a store that `create` made. */
  destroy?(store: Store): MaybePromise<void>
  /** How many programs are drawn at random, each on a store of its own. @default 200 */
  readonly programs?: number | undefined
  /** Which programs are drawn. The same seed draws the same. @default 1 */
  readonly seed?: number | undefined
}

/**
 * Declares the tests that every store passes: one for each sentence of the specification, and one for each golden vector.
 * Besides, it draws programs of takes, settles, changes of limits and steps of the clock at random, and compares each
 * decision with exact arithmetic.
 *
 * @example
 * testStore({ name: 'memory', create: () => new MemoryStore() })
 */
export function testStore({ name, create, destroy, programs = 200, seed = 1 }: StoreHarness): void {
  async function withStore(use: (store: Store) => Promise<void>): Promise<void> {
    const store = await create()
    try {
      await use(store)
    } finally {
      await destroy?.(store)
    }
  }

  describe(`the store ${name}`, () => {
    for (const { name: sentence, check } of STORE_CHECKS) test(sentence, () => withStore(check))
    for (const vector of vectors) {
      test(`golden vector: ${vector.name}`, () => withStore((store) => checkVector(store, vector)))
    }
    test(
      `${programs} programs drawn with seed ${seed} are decided as in exact arithmetic`,
      () =>
        fc.assert(
          fc.asyncProperty(program(40), (drawn) =>
            withStore((store) => checkVector(store, vectorOf('the program above', drawn))),
          ),
          { seed, numRuns: programs },
        ),
      PROGRAMS_MS,
    )
  })
}

/** Enough for a store behind a network, and to shrink a program that fails. */
const PROGRAMS_MS = 120_000
