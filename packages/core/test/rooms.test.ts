import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

type Imports = Map<string, string[]>
type Rooms = Readonly<Record<string, readonly string[]>>
const script = new URL('../../../scripts/check-rooms.mjs', import.meta.url).href
const { faultsOf, importsOf } = (await import(script)) as {
  faultsOf(name: string, imports: Imports, rooms: Rooms | undefined): string[]
  importsOf(folder: string): Imports
}

const rooms = JSON.parse(readFileSync(new URL('../rooms.json', import.meta.url), 'utf8')) as Rooms
const imports = importsOf(fileURLToPath(new URL('../src/', import.meta.url)))

/** The sources with one import more. */
function withImport(file: string, target: string): Imports {
  return new Map([...imports, [file, [...(imports.get(file) ?? []), target]]])
}

test('every import of core is an arrow of rooms.json', () => {
  expect(imports.get('limiter/limiter.ts')).toContain('limiter/settings.ts')
  expect(faultsOf('core', imports, rooms)).toEqual([])
})

test.each([
  [
    'an import that is turned round',
    'base/errors.ts',
    'limit/limit.ts',
    /^core: base\/errors.ts imports limit\/limit.ts; base may import no room/,
  ],
  [
    'a room that imports a door',
    'bucket/store.ts',
    'index.ts',
    /^core: bucket\/store.ts imports index.ts; bucket may import base, limit/,
  ],
  ['a file in no room', 'kinds/quota.ts', 'bucket/bucket.ts', /^core: kinds\/quota.ts lies in no room/],
  [
    'a circle within a room',
    'limiter/request-record.ts',
    'limiter/limiter.ts',
    /a circle: .*limiter\/limiter.ts -> .*limiter\/request-record.ts/,
  ],
])('%s is found', (_, file, target, fault) => {
  expect(faultsOf('core', withImport(file, target), rooms).join('\n')).toMatch(fault)
})
