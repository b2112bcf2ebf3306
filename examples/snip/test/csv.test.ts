import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { rowsOf } from '../src/importer/csv.js'

describe('rows', () => {
  it('are read whatever is quoted, in any order of columns, with the line they begin on', () => {
    const rows = rowsOf(
      '\ufeffSlug,note,URL\r\na,,https://a.example/\r\n\r\nb,"two\r\nlines","https://b.example/?x=1,2&y=""z"""\r\n,,https://c.example/',
    )
    expect(rows.map(({ line, body }) => [line, JSON.parse(body)])).toEqual([
      [2, { url: 'https://a.example/', slug: 'a' }],
      [4, { url: 'https://b.example/?x=1,2&y="z"', slug: 'b' }],
      [6, { url: 'https://c.example/' }],
    ])
  })

  it('keep their keys wherever they are in the file', () => {
    const [row] = rowsOf('url,slug\nhttps://a.example/,a\n')
    const moved = rowsOf('slug,url\nnew,https://new.example/\na,"https://a.example/"\n')
    expect(moved[1]?.key).toBe(row?.key)
    expect(moved[0]?.key).not.toBe(row?.key)
  })

  it('that are equal are links of their own', () => {
    const [first, second] = rowsOf('url\nhttps://a.example/\nhttps://a.example/\n')
    expect(first?.key).not.toBe(second?.key)
  })

  it.each([
    ['', 'The first line has to name a column "url"; it is "".'],
    ['link,slug\n', 'The first line has to name a column "url"; it is "link,slug".'],
    ['url,slug\na,b\n"c,d\ne,f\n', 'Line 3: a quote is not closed, or stands inside a cell.'],
    ['url\na\n"b"c\n', 'Line 3: a quote is not closed, or stands inside a cell.'],
    ['url\na"b"\n', 'Line 2: a quote is not closed, or stands inside a cell.'],
  ])('of a file that is none are an error, before anything is sent: %j', (text, message) => {
    expect(() => rowsOf(text)).toThrow(message)
  })

  it('are 66 in the file that is included, each with a slug', () => {
    const rows = rowsOf(readFileSync(new URL('../data/links.csv', import.meta.url), 'utf8'))
    expect(rows).toHaveLength(66)
    for (const { body } of rows) expect(JSON.parse(body)).toEqual({ url: expect.any(String), slug: expect.any(String) })
  })
})
