import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { planFile } from '../../src/index.js'

const folder = mkdtempSync(join(tmpdir(), 'rail-pieces-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Any beginning of it that ends with a line is a valid plan file too. */
const linesOf = (perSecond: number): readonly string[] => [
  `plans:\n  free: { limits: { per_second: ${perSecond} } }\n`,
  'customers:\n',
  ...Array.from({ length: 8 }, (_, index) => `  c${index}: {}\n`),
  'defaultPlan: free\n',
]
const WRITES = 10
/** Shorter than the time for which a file must stand still. */
const PAUSE_MS = 40

test('a file that is written line by line is never taken before its last line', async () => {
  const path = join(folder, 'plans.yaml')
  writeFileSync(path, linesOf(1).join(''))
  let reloaded = (): void => {}
  const taken: (number | undefined)[] = []
  const perSecond = (): number | undefined => plans.limitsFor('c7', '')[0]?.tokens
  const plans = planFile(path, {
    every: '200ms',
    onReload: () => {
      taken.push(perSecond())
      reloaded()
    },
  })
  for (let write = 2; write <= WRITES + 1; write++) {
    const complete = new Promise<void>((resolve) => {
      reloaded = resolve
    })
    const [first = '', ...rest] = linesOf(write)
    writeFileSync(path, first)
    for (const line of rest) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      // In the same turn as the timer: no look of the file comes between, however busy the machine is.
      appendFileSync(path, line)
      expect(perSecond()).toBe(write - 1)
    }
    await complete
  }
  plans.close()
  expect(taken).toEqual(Array.from({ length: WRITES }, (_, index) => index + 2))
})
