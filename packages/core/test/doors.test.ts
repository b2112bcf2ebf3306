import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

/** The names that each door of each package exports, types too. A change of a door is a change of this file. */
const doors = JSON.parse(readFileSync(new URL('../doors.json', import.meta.url), 'utf8')) as Record<string, string[]>

const path = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url))

const FILES: Readonly<Record<string, string>> = {
  '@rail/core': 'core/src/index.ts',
  '@rail/core/adapter': 'core/src/adapter.ts',
  '@rail/core/store': 'core/src/store.ts',
  '@rail/core/read': 'core/src/read.ts',
  '@rail/express': 'express/src/index.ts',
  '@rail/fastify': 'fastify/src/index.ts',
  '@rail/hono': 'hono/src/index.ts',
  '@rail/koa': 'koa/src/index.ts',
  '@rail/redis': 'redis/src/index.ts',
  '@rail/plans': 'plans/src/index.ts',
  '@rail/plans/sync-protocol': 'plans/src/sync-protocol.ts',
  '@rail/keys': 'keys/src/index.ts',
  '@rail/client': 'client/src/index.ts',
  '@rail/control': 'control/src/index.ts',
  '@rail/conformance': 'conformance/src/index.ts',
  '@rail/conformance/scenarios': 'conformance/src/scenarios.ts',
}

const program = ts.createProgram(Object.values(FILES).map(path), {
  customConditions: ['@rail/source'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  skipLibCheck: true,
  noEmit: true,
})
const checker = program.getTypeChecker()

function namesOf(file: string): string[] {
  const source = program.getSourceFile(path(file)) as ts.SourceFile
  const module = checker.getSymbolAtLocation(source) as ts.Symbol
  return checker.getExportsOfModule(module).map(({ name }) => name)
}

const ADAPTERS = ['@rail/express', '@rail/fastify', '@rail/hono', '@rail/koa']

test.each(Object.keys(FILES).filter((door) => !ADAPTERS.includes(door)))('%s exports these names', (door) => {
  expect(namesOf(FILES[door] as string).sort()).toEqual(doors[door])
})

test.each(ADAPTERS)('%s exports what @rail/core does, and these names of its own', (adapter) => {
  const names = namesOf(FILES[adapter] as string)
  const core = doors['@rail/core'] as string[]
  expect(core.filter((name) => !names.includes(name))).toEqual([])
  expect(names.filter((name) => !core.includes(name)).sort()).toEqual(doors[adapter])
})
