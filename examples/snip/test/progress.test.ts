import { describe, expect, it } from 'vitest'
import type { Summary } from '../src/importer/import-links.js'
import { barFor, estimateFor, progressOn, report } from '../src/importer/progress.js'

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

  it('on a terminal by drawing over what it said, ten times a second at most', () => {
    const { written, seconds, progress } = progressOnA({ isTTY: true })
    for (let step = 0; step <= 32; step++) {
      seconds.now = step / 16
      progress.show(() => `bar ${step}`)
    }
    progress.end(() => 'last')
    expect(written).toHaveLength(18)
    expect(written[0]).toBe('\rbar 2\u001b[K')
    expect(written.slice(-2)).toEqual(['\rlast\u001b[K', '\n'])
  })

  it('in a log by a line every ten seconds, and none at the end: the summary follows', () => {
    const { written, seconds, progress } = progressOnA({})
    for (seconds.now = 0; seconds.now < 30; seconds.now++) progress.show(() => `bar ${seconds.now}`)
    progress.end(() => 'last')
    expect(written).toEqual(['bar 10\n', 'bar 20\n'])
  })

  it('at the end: what was done, what was not, and what to do', () => {
    expect(report({ ...summary, stopped: 'Stopped.' }, 530)).toBe(
      'Stopped.\n900 created in 9 min, 9,000 done before, 1 rejected, 30,099 left.\n  line 7: Taken.\nRun it again to go on where it stopped.',
    )
  })
})

function progressOnA(kind: { readonly isTTY?: boolean }) {
  const written: string[] = []
  const seconds = { now: 0 }
  const stream = { ...kind, write: (text: string) => written.push(text) }
  return { written, seconds, progress: progressOn(stream, () => seconds.now) }
}
