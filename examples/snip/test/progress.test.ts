import { describe, expect, it } from 'vitest'
import { rowsOf } from '../src/importer/csv.js'
import type { Summary } from '../src/importer/import-links.js'
import { barFor, estimateFor, report } from '../src/importer/progress.js'

const summary: Summary = {
  total: 40_000,
  created: 900,
  before: 9_000,
  rejected: [{ line: 7, reason: 'Taken.' }],
  failed: 0,
  stopped: undefined,
}

describe('what the importer says', () => {
  it('before it begins: how long it takes, and on a larger plan', () => {
    const perMinute = { free: 100, pro: 1_000 }
    expect(estimateFor(40_000, 'free', perMinute)).toBe('400 minutes at 100 a minute; 40 on pro')
    expect(estimateFor(40_000, 'pro', perMinute)).toBe('40 minutes at 1,000 a minute')
    expect(estimateFor(50, 'free', perMinute)).toBe('1 minute at 100 a minute; 1 on pro')
  })

  it('while it runs: how far it is, how fast, and how long it still takes', () => {
    expect(barFor(summary, 530, 1_000)).toBe(
      '[#######.......................] 9,901 of 40,000 (24 %), 102 a minute, 4 h 55 min left',
    )
    // 900 in 3 seconds are the first burst: from then on it is 100 a minute.
    expect(barFor(summary, 3, 100)).toMatch(/ 18020 a minute, 5 h 1 min left$/)
    expect(barFor({ ...summary, created: 0, rejected: [] }, 0, 100)).toMatch(/\(22 %\), 0 a minute$/)
  })

  it('at the end: what was done, what was not, and what to do', () => {
    expect(report({ ...summary, stopped: 'Stopped.' }, 530)).toBe(
      'Stopped.\n900 created in 9 min, 9,000 done before, 1 rejected, 30,099 left.\n  line 7: Taken.\nRun it again to go on where it stopped.',
    )
  })
})

describe('rows', () => {
  it('are read whatever is quoted, and keep their keys wherever they are in the file', () => {
    const [plain, quoted, last] = rowsOf(
      'url,slug\r\nhttps://a.example/,a\r\n"https://b.example/?x=1,2&y=""z""",b\r\nhttps://c.example/,',
    )
    expect(plain).toMatchObject({ line: 2, url: 'https://a.example/', slug: 'a' })
    expect(quoted).toMatchObject({ line: 3, url: 'https://b.example/?x=1,2&y="z"', slug: 'b' })
    expect(last).toMatchObject({ line: 4, url: 'https://c.example/', slug: '' })
    const moved = rowsOf('slug,url\nnew,https://new.example/\na,https://a.example/\n')
    expect(moved[1]?.key).toBe(plain?.key)
  })

  it('that are equal are links of their own', () => {
    const [first, second] = rowsOf('url\nhttps://a.example/\nhttps://a.example/\n')
    expect(first?.key).not.toBe(second?.key)
  })

  it('need a column url', () => {
    expect(() => rowsOf('link,slug\n')).toThrow('The first line has to name a column "url"; it is "link,slug".')
  })
})
