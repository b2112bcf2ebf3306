import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

/** The names that each door of core and each adapter exports, types too. A change of a door is a change of this file. */
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

test.each(['@rail/core', '@rail/core/adapter', '@rail/core/store', '@rail/core/read'])(
  '%s exports these names',
  (door) => {
    expect(namesOf(FILES[door] as string).sort()).toEqual(doors[door])
  },
)

test.each(['@rail/express', '@rail/fastify', '@rail/hono', '@rail/koa'])(
  '%s exports what @rail/core does, and these names of its own',
  (adapter) => {
    const names = namesOf(FILES[adapter] as string)
    const core = doors['@rail/core'] as string[]
    expect(core.filter((name) => !names.includes(name))).toEqual([])
    expect(names.filter((name) => !core.includes(name)).sort()).toEqual(doors[adapter])
  },
)
