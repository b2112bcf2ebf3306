import { describe, expect, test } from 'vitest'
import { ADAPTER_CHECKS } from '../../src/adapter-checks/index.js'
import { App } from '../../src/test-adapter/app.js'
import { MUTANTS } from './adapter-mutants/index.js'
import type { Mutant } from './adapter-mutants/mutant.js'
import { startPlain } from './plain-adapter.js'

const breaks = (mutant: Mutant, name: string): boolean =>
  mutant.breaks.some((sentence) => (typeof sentence === 'string' ? sentence === name : sentence.test(name)))

for (const { name, check } of ADAPTER_CHECKS) {
  describe(`a broken adapter is caught by: ${name}`, () => {
    const broken = MUTANTS.filter((mutant) => breaks(mutant, name))

    test('there is one', () => {
      expect(broken).not.toHaveLength(0)
    })

    for (const mutant of broken) {
      test(mutant.fault, async () => {
        const running = await startPlain(mutant)
        const app = new App(running.url)
        try {
          // An assertion fails; it does not hang, and the app does not fall over.
          await expect(check(app)).rejects.toMatchObject({ name: 'AssertionError' })
        } finally {
          app.close()
          await running.stop()
        }
      }, 60_000)
    }
  })
}

test('every broken adapter breaks sentences of the specification, and no sentence is there twice', () => {
  const names = ADAPTER_CHECKS.map((check) => check.name)
  expect(new Set(names).size).toBe(names.length)
  for (const { breaks: sentences } of MUTANTS) {
    for (const sentence of sentences) {
      expect(names.some((name) => (typeof sentence === 'string' ? sentence === name : sentence.test(name)))).toBe(true)
    }
  }
})
