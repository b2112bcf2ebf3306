import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createLimiter, type LimiterOptions, perMinute, RailError } from '../../src/index.js'

const page = readFileSync(new URL('../../../../docs/options.md', import.meta.url), 'utf8')

/** The options that have a heading in these sections, in alphabetical order. */
function namesUnder(...headings: readonly string[]): string[] {
  const sections = page
    .split(/^## /m)
    .filter((section) => headings.some((heading) => section.startsWith(`${heading}\n`)))
  return sections
    .flatMap((section) => Array.from(section.matchAll(/^### `(\w+)/gm), ([, name]) => name as string))
    .sort()
}

/** The names that an error about an unknown option lists. */
function namesIn(make: () => unknown): string[] {
  try {
    make()
  } catch (error) {
    if (error instanceof RailError)
      return (error.message.split(' Options: ')[1] ?? '').replace('.', '').split(', ').sort()
  }
  return []
}

const good: LimiterOptions<object> = { identify: () => 'acme', limits: [perMinute(1)] }
const unknown = { farFromAllOfThem: 1 } as object

test('docs/options.md has every option of a limiter, and no other', () => {
  const known = namesIn(() => createLimiter({ ...good, ...unknown }))
  expect(known).toContain('identify')
  expect(
    namesUnder(
      'Key, limits and cost',
      'Requests that are not counted',
      'Responses',
      'When the store fails',
      'Hooks and time',
    ),
  ).toEqual(known)
})

test('docs/options.md has every option of a route, and no other', () => {
  const known = namesIn(() => createLimiter(good).with(unknown))
  expect(known).toContain('cost')
  expect(namesUnder('Options of a route')).toEqual(known)
})
