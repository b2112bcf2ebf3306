import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** What a module of this package imports, itself and through its own files. */
function importsOf(file: URL, known = new Set<string>()): Set<string> {
  if (known.has(file.href)) return known
  known.add(file.href)
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)) {
    if (name?.startsWith('.')) importsOf(new URL(name.replace(/\.js$/, '.ts'), file), known)
    else known.add(name as string)
  }
  return known
}

it('the scenarios need neither Node nor vitest, so that any runtime can have them', () => {
  const outside = (name: string): string[] =>
    [...importsOf(new URL(`../../src/${name}.ts`, import.meta.url))].filter((from) => !from.startsWith('file:'))
  expect(outside('test-adapter')).toContain('vitest')
  expect(outside('scenarios')).toEqual(['@rail/core'])
})
