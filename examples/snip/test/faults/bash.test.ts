import { createHash } from 'node:crypto'
import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rowsOf } from '../../src/importer/csv.js'
import { FaultyServer } from '../faulty-server.js'
import { expectEachOnce, linksFile } from '../links-file.js'
import { end, importer, script } from '../programs.js'

let server: FaultyServer
beforeEach(async () => {
  server = new FaultyServer(0)
  await server.start()
})
afterEach(() => server.remove())

function fileWith(text: string): string {
  const path = join(server.folder, 'links.csv')
  writeFileSync(path, text)
  return path
}

/** The journal of the importer in bash: the only one in the folder. */
function journal(): string {
  const [name = ''] = readdirSync(server.folder).filter((name) => name.endsWith('.done'))
  return join(server.folder, name)
}

/** Columns in an order of their own, quotes, commas, lines within a cell, Windows' line ends, equal rows, no end of the last line. */
const unruly = [
  '\ufeffSlug,note,URL',
  'first,"a note, with ""quotes"" and',
  'two lines",https://example.org/quoted',
  ',,"https://example.org/?q=1,2&r=""3"""',
  ...Array.from({ length: 60 }, (_, index) => ` ,, https://example.org/${index}/é\\`),
  '',
  ',,https://example.org/twice',
  ',,https://example.org/twice',
].join('\r\n')

describe('the importer in bash', () => {
  it('reads a file as the other one does, down to the keys: what one began the other finishes', async () => {
    const file = fileWith(unruly)
    const first = await importer(file, server.url, (child) => {
      server.onRequest = (count) => {
        if (count === 31) end(child, 'SIGINT')
      }
    })
    expect(first.code).toBe(130)
    const begun = server.count()
    expect(begun).toBeGreaterThan(20)
    expect(begun).toBeLessThan(64)
    const { output, code } = await script(file, server.url)
    // All of them: it has a journal of its own, and what is there already is answered as it was at first.
    expect(output).toMatch(/^64 created, 0 done before, 0 rejected, 0 left$/m)
    expect(code).toBe(0)
    const urls = rowsOf(unruly).map(({ body }) => (JSON.parse(body) as { url: string }).url)
    expect(urls).toContain('https://example.org/?q=1,2&r="3"')
    expect(server.count()).toBe(64)
    const links = server.links()
    for (const url of new Set(urls)) expect([url, links.get(url)]).toEqual([url, url.endsWith('twice') ? 2 : 1])
  })

  it('loses one row of a journal whose last line is torn, and sends it again with its key', async () => {
    const file = linksFile(server.folder, 20)
    expect((await script(file, server.url)).output).toMatch(/^20 created/m)
    truncateSync(journal(), readFileSync(journal()).length - 7)
    appendFileSync(file, 'https://example.org/20,\n')
    expect((await script(file, server.url)).output).toMatch(/^2 created, 19 done before, 0 rejected, 0 left$/m)
    expect((await script(file, server.url)).output).toMatch(/^0 created, 21 done before, 0 rejected, 0 left$/m)
    expectEachOnce(server.links(), 21)
  })

  it('finds the last of 40,000 rows that are done at once', async () => {
    const file = linksFile(server.folder, 40_000)
    const done = rowsOf(readFileSync(file, 'utf8')).map(({ body }) => `1 ${body}`)
    const name = createHash('sha256').update(`${server.url} snip_free_ada`).digest('hex').slice(0, 8)
    writeFileSync(`${file}.${name}.done`, `${done.slice(0, -2).join('\n')}\n`)
    expect((await script(file, server.url)).output).toMatch(/^2 created, 39998 done before, 0 rejected, 0 left$/m)
    expect(server.requests).toBe(2)
  })

  it('takes what is done at one service for done there, and nowhere else', async () => {
    const file = linksFile(server.folder, 15)
    await script(file, server.url)
    const elsewhere = server.url.replace('127.0.0.1', 'localhost')
    expect((await script(file, elsewhere)).output).toMatch(/^15 created, 0 done before/m)
    expectEachOnce(server.links(), 15)
  })

  it('tells which rows were rejected and why, and does not ask again', async () => {
    const file = fileWith('slug,url\none,https://example.org/0\none,https://example.org/1\n\n,javascript:alert(1)\n')
    const { output } = await script(file, server.url)
    expect(output).toMatch(/^line 3: .*Another link has the slug one/m)
    expect(output).toMatch(/^line 5: .*leads to an http/m)
    expect(output).toMatch(/^1 created, 0 done before, 2 rejected, 0 left$/m)
    expect((await script(file, server.url)).output).toMatch(/^0 created, 3 done before, 0 rejected, 0 left$/m)
    expect(server.requests).toBe(3)
  })

  it.each([
    ['url,slug\nhttps://example.org/,a\n"https://example.org/b,b\n', 'Line 3: a quote is not closed'],
    ['url,slug\n"https://example.org/"a,b\n', 'Line 2: a quote is not closed, or stands inside a cell.'],
    ['link\na\n', 'Line 1: it has to name a column "url".'],
    ['', 'Line 1: it has to name a column "url".'],
  ])('sends nothing of a file that is wrong: %j', async (text, message) => {
    const { output, code } = await script(fileWith(text), server.url)
    expect([code, server.requests]).toEqual([1, 0])
    expect(output).toContain(message)
  })

  it('ends at once where the key is not known', async () => {
    const file = linksFile(server.folder, 5)
    const { output, code } = await script(file, server.url, undefined, 'snip_nobody')
    expect([code, server.requests]).toEqual([1, 1])
    expect(output).toMatch(/Line 2 was answered 401: .*\n0 created, 0 done before, 0 rejected, 5 left/)
  })
})
