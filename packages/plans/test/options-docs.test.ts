import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { planFile, syncPlans } from '../src/index.js'

const page = readFileSync(new URL('../../../docs/guides/plans.md', import.meta.url), 'utf8')
const unknown = { nope: 1 } as never

test.each<[string, () => unknown]>([
  ['planFile', () => planFile('plans.yaml', unknown)],
  ['syncPlans', () => syncPlans(unknown)],
])('docs/guides/plans.md has every option of %s, and no other', (name, make) => {
  const [, rows = ''] = new RegExp(`^\\| option of \\\`${name}\\\` .*\\n((?:\\|.*\\n)+)`, 'm').exec(page) ?? []
  const told = Array.from(rows.matchAll(/^\| `(\w+)/gm), ([, option]) => option as string)
  expect(told.length).toBeGreaterThan(0)
  expect(make).toThrow(expect.objectContaining({ code: 'RAIL_UNKNOWN_OPTION' }))
  let listed: string[] = []
  try {
    make()
  } catch (error) {
    listed = /Its options: (.*)\./.exec(String(error))?.[1]?.split(', ') ?? []
  }
  expect(told.toSorted()).toEqual(listed.toSorted())
})
