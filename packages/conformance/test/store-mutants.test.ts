import { describe, expect, test } from 'vitest'
import { STORE_CHECKS } from '../src/store-checks/index.js'
import { MUTANTS } from './store-mutants/index.js'

describe.each(STORE_CHECKS)('a broken store is caught by: $name', ({ name, check }) => {
  const broken = MUTANTS.filter((mutant) => mutant.breaks === name)

  test('there is one', () => {
    expect(broken).not.toHaveLength(0)
  })

  test.each(broken)('$fault', async ({ create }) => {
    await expect(check(create())).rejects.toThrow()
  })
})

test('every broken store breaks a sentence of the specification, and no sentence stands twice', () => {
  const names = STORE_CHECKS.map((check) => check.name)
  expect(new Set(names).size).toBe(names.length)
  for (const { breaks } of MUTANTS) expect(names).toContain(breaks)
})
