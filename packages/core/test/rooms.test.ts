import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

type Imports = Map<string, string[]>
type Rooms = Readonly<Record<string, readonly string[]>>
const script = new URL('../../../scripts/check-rooms.mjs', import.meta.url).href
const { faultsOf, importsIn, importsOf } = (await import(script)) as {
  faultsOf(name: string, imports: Imports, rooms: Rooms | undefined): string[]
  importsIn(text: string): string[]
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
  ['a file beside the rooms that is no door', 'stray.ts', 'limiter/limiter.ts', /^core: stray.ts is no door/],
  [
    'a file in no room',
    'kinds/quota.ts',
    'bucket/bucket.ts',
    /^core: kinds\/quota.ts is no door of rooms.json and lies in none of its rooms/,
  ],
  [
    'a circle within a room',
    'limiter/request-record.ts',
    'limiter/limiter.ts',
    /a circle: .*limiter\/limiter.ts -> .*limiter\/request-record.ts/,
  ],
])('%s is found', (_, file, target, fault) => {
  expect(faultsOf('core', withImport(file, target), rooms).join('\n')).toMatch(fault)
})

test('imports of every form are seen', () => {
  const text = [
    "import './a.js'",
    "import type { B } from './b.js'",
    "export { c } from './c.js'",
    "const d = await import('./d.js')",
    "import {\n  e,\n} from './e.js'",
    "import { f } from 'elsewhere'",
  ]
  expect(importsIn(text.join('\n')).sort()).toEqual(['./a.js', './b.js', './c.js', './d.js', './e.js'])
})
