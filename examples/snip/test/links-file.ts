import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Db } from '../src/server/database.js'

/** Writes a file of so many links. Those without a slug would be there twice if a write were repeated. */
export function linksFile(folder: string, count: number): string {
  const path = join(folder, 'links.csv')
  const lines = Array.from({ length: count }, (_, index) => `https://example.org/${index},`)
  writeFileSync(path, `url,slug\n${lines.join('\n')}\n`)
  return path
}

/** All URLs that there are links for, with how many. */
export function linksIn(db: Db): Map<string, number> {
  const rows = db.prepare('SELECT url, count(*) AS links FROM links GROUP BY url').all() as {
    url: string
    links: number
  }[]
  return new Map(rows.map(({ url, links }) => [url, links]))
}

/** Fails unless each link of {@link linksFile} is there, and once. */
export function expectEachOnce(links: ReadonlyMap<string, number>, count: number): void {
  expect(Array.from({ length: count }, (_, index) => links.get(`https://example.org/${index}`))).toEqual(
    Array(count).fill(1),
  )
  expect(links.size).toBe(count)
}
