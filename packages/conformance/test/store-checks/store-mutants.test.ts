import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ExactStore } from '../../src/exact/exact-store.js'
import { STORE_CHECKS } from '../../src/store-checks/index.js'
import { program, vectorOf } from '../../src/vectors/programs.js'
import { checkVector, type Vector, vectors } from '../../src/vectors/vectors.js'
import { ARITHMETIC_MUTANTS } from './store-mutants/arithmetic.js'
import { CHARGE_MUTANTS } from './store-mutants/charges.js'
import { MUTANTS } from './store-mutants/index.js'
import type { Mutant } from './store-mutants/mutant.js'
import { TAKING_MUTANTS } from './store-mutants/taking.js'
import { TIME_MUTANTS } from './store-mutants/time.js'

describe.each(STORE_CHECKS)('a broken store is caught by: $name', ({ name, check }) => {
  const broken = MUTANTS.filter((mutant) => mutant.breaks === name)

  test('there is one', () => {
    expect(broken).not.toHaveLength(0)
  })

  test.each(broken)('$fault', async ({ create }) => {
    await expect(check(create())).rejects.toThrow()
  })
})

test('every broken store breaks a sentence of the specification, and no sentence is there twice', () => {
  const names = STORE_CHECKS.map((check) => check.name)
  expect(new Set(names).size).toBe(names.length)
  for (const { breaks } of MUTANTS) expect(names).toContain(breaks)
})

/** Whether one of the vectors catches one of the stores. One is enough: no more are tried. */
async function isCaught(broken: readonly Mutant[], by: readonly Vector[]): Promise<boolean> {
  for (const { create } of broken) {
    for (const vector of by) {
      const caught = await checkVector(create(), vector).then(
        () => false,
        () => true,
      )
      if (caught) return true
    }
  }
  return false
}

describe('golden vectors', () => {
  test.each(ARITHMETIC_MUTANTS)('catch a store where $fault', async (mutant) => {
    expect(await isCaught([mutant], vectors)).toBe(true)
  })

  test.each(vectors)(
    'are what exact arithmetic makes of them, and each catches a broken store: $name',
    async (vector) => {
      await checkVector(new ExactStore(), vector)
      const broken = [...ARITHMETIC_MUTANTS, ...TAKING_MUTANTS, ...TIME_MUTANTS, ...CHARGE_MUTANTS]
      expect(await isCaught(broken, [vector])).toBe(true)
    },
  )
})

// What programs can show: how a key is stored, or what happens when calls overlap, they do not.
const SHOWN = [
  'takes from each limit before it checks the next',
  'the wait without ahead',
  'floor for ceil',
  'the cap is left out',
  'it moves back',
  'rounded down',
  'refusals are not written',
  'debts are forgiven',
  'at the new one',
  'full buckets keep their moment',
  'only what is left',
  'from the last take',
  'as it was charged',
  'as it was kept',
  'the difference is checked',
  'what was taken before is kept',
  'what is cut off is forgotten',
  'both at the same time',
  'only what is shown counts',
  'all that was cut off counts again, up to the size',
  'only what is shown',
  'what was cut off first',
]

test.each(SHOWN)('programs drawn at random catch a store where: %s', async (fault) => {
  const broken = [...MUTANTS, ...ARITHMETIC_MUTANTS].find((mutant) => mutant.fault === fault) as Mutant
  const property = fc.asyncProperty(program(40), (drawn) => checkVector(broken.create(), vectorOf('drawn', drawn)))
  await expect(fc.assert(property, { seed: 1, numRuns: 200, endOnFailure: true })).rejects.toThrow()
})
