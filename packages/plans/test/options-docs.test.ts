import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { planFile, syncPlans } from '../src/index.js'

const docs = new URL('../../../docs/', import.meta.url)
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((page) => page.endsWith('.md'))
  .map((page) => readFileSync(new URL(page, docs), 'utf8'))
const unknown = { unknownOption: 1 } as never

test.each<[string, () => unknown]>([
  ['planFile', () => planFile('plans.yaml', unknown)],
  ['syncPlans', () => syncPlans(unknown)],
])('the docs have a table with every option of %s, and no other', (name, make) => {
  const [, rows = ''] =
    new RegExp(`^\\| option of \\\`${name}\\\` .*\\n((?:\\|.*\\n)+)`, 'm').exec(pages.join('\n')) ?? []
  const documented = Array.from(rows.matchAll(/^\| `(\w+)/gm), ([, option]) => option as string)
  expect(documented.length).toBeGreaterThan(0)
  expect(make).toThrow(expect.objectContaining({ code: 'RAIL_UNKNOWN_OPTION' }))
  let listed: string[] = []
  try {
    make()
  } catch (error) {
    listed = /Options: (.*)\./.exec(String(error))?.[1]?.split(', ') ?? []
  }
  expect(documented.toSorted()).toEqual(listed.toSorted())
})
