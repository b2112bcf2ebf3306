import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Journal, journalPathFor } from '../src/importer/journal.js'

const [A, B, C] = ['a', 'b', 'c'].map((digit) => `import-${digit.repeat(32)}`) as [string, string, string]

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'snip-'))
  path = join(folder, 'links.csv.progress')
})
afterEach(() => rmSync(folder, { recursive: true }))

it('a journal knows what was done after a restart', () => {
  const journal = new Journal(path)
  journal.add(A, 'created')
  journal.add(B, 'rejected')
  const again = new Journal(path)
  expect([A, B, C].map((key) => again.endingOf(key))).toEqual(['created', 'rejected', undefined])
})

it('a journal whose last line is torn anywhere loses that row alone, and later ones are written whole', () => {
  new Journal(path).add(A, 'created')
  const whole = readFileSync(path).length
  for (let torn = 1; torn < whole; torn++) {
    rmSync(path)
    const journal = new Journal(path)
    journal.add(A, 'created')
    journal.add(B, 'created')
    truncateSync(path, whole + torn)
    new Journal(path).add(C, 'created')
    const again = new Journal(path)
    // Without its line end alone, it is still known.
    const known = torn === whole - 1 ? 'created' : undefined
    expect([A, B, C].map((key) => again.endingOf(key))).toEqual(['created', known, 'created'])
  }
})

it('a journal knows nothing of lines that it did not write', () => {
  appendFileSync(path, `${A} sent\nimport-1 created\n\0\0\0\0\n`)
  expect(new Journal(path).endingOf(A)).toBeUndefined()
})

it('a journal is one for each file, service and API key: what is done for one is not done for another', () => {
  const paths = [
    journalPathFor('a.csv', 'http://a.test', 'key'),
    journalPathFor('b.csv', 'http://a.test', 'key'),
    journalPathFor('a.csv', 'http://b.test', 'key'),
    journalPathFor('a.csv', 'http://a.test', 'other'),
  ]
  expect(new Set(paths).size).toBe(4)
  expect(paths[0]).toMatch(/^a\.csv\.[0-9a-f]{8}\.progress$/)
})
