import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { RailError, type RailErrorCode } from '../../src/index.js'

/** A copy of the module that has not warned yet, and what it emits. */
async function fresh(): Promise<{ warn: (error: unknown, nowMs?: number) => void; emitted: Error[] }> {
  vi.resetModules()
  const { warn } = await import('../../src/base/warning.js')
  const emitted: Error[] = []
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void emitted.push(warning as Error))
  return { warn, emitted }
}

const error = (code: RailErrorCode, message = 'Something failed.'): RailError => new RailError(code, message)

describe('a warning', () => {
  let warn: (error: unknown, nowMs?: number) => void
  let emitted: Error[]
  beforeEach(async () => {
    ;({ warn, emitted } = await fresh())
  })
  afterEach(() => vi.restoreAllMocks())

  test('is the error itself', () => {
    const failed = error('RAIL_STORE_FAILED')
    warn(failed, 0)
    expect(emitted).toEqual([failed])
    expect(emitted[0]).toBe(failed)
  })

  test('comes once for each code and minute, and the next one says how many were left out', () => {
    for (const now of [0, 1, 59_999]) warn(error('RAIL_STORE_FAILED'), now)
    warn(error('RAIL_HOOK_FAILED'), 2)
    expect(emitted.map(({ message }) => message)).toEqual(['Something failed.', 'Something failed.'])
    warn(error('RAIL_STORE_FAILED'), 60_000)
    expect(emitted[2]?.message).toBe('Something failed. (2 more of this code since the last warning.)')
    expect((emitted[2] as RailError).code).toBe('RAIL_STORE_FAILED')
    warn(error('RAIL_STORE_FAILED'), 120_000)
    expect(emitted[3]?.message).toBe('Something failed.')
  })

  test('comes at the end of the minute where no other does, with the latest error and the number of the others', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      warn(error('RAIL_STORE_FAILED'), 0)
      for (const now of [10_000, 20_000, 30_000]) warn(error('RAIL_STORE_FAILED', `Failed at ${now}.`), now)
      warn(error('RAIL_HOOK_FAILED'), 30_000)
      // The first that was left out came at 10 s.
      vi.advanceTimersByTime(49_999)
      expect(emitted).toHaveLength(2)
      vi.advanceTimersByTime(1)
      expect(emitted[2]?.message).toBe('Failed at 30000. (2 more of this code since the last warning.)')
      // The next minute begins with that warning.
      warn(error('RAIL_STORE_FAILED', 'Failed alone.'), 61_000)
      expect(emitted).toHaveLength(3)
      vi.advanceTimersByTime(59_000)
      expect(emitted[3]?.message).toBe('Failed alone.')
      vi.advanceTimersByTime(1_000_000)
      expect([emitted.length, vi.getTimerCount()]).toEqual([4, 0])
    } finally {
      vi.useRealTimers()
    }
  })

  test('comes once where the next one has counted those that were left out', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      for (const now of [0, 1, 60_000]) warn(error('RAIL_STORE_FAILED'), now)
      expect(emitted[1]?.message).toBe('Something failed. (1 more of this code since the last warning.)')
      vi.advanceTimersByTime(1_000_000)
      expect(emitted).toHaveLength(2)
    } finally {
      vi.useRealTimers()
    }
  })

  test('that is left out keeps no process alive, and makes no timer where one would', () => {
    const before = process.getActiveResourcesInfo()
    for (const now of [0, 1]) warn(error('RAIL_STORE_FAILED'), now)
    expect(process.getActiveResourcesInfo()).toEqual(before)
    const cleared: unknown[] = []
    vi.stubGlobal('setTimeout', () => 7)
    vi.stubGlobal('clearTimeout', (timer: unknown) => cleared.push(timer))
    try {
      for (const now of [0, 1]) warn(error('RAIL_HOOK_FAILED'), now)
    } finally {
      vi.unstubAllGlobals()
    }
    expect(cleared).toEqual([7])
  })

  test('comes again when the clock has stepped back', () => {
    warn(error('RAIL_STORE_FAILED'), 100_000)
    warn(error('RAIL_STORE_FAILED'), 0)
    expect(emitted).toHaveLength(2)
  })

  test('is an error for anything that is reported', () => {
    warn('slow', 0)
    warn(new TypeError('no number'), 60_000)
    expect(emitted.map(({ message }) => message)).toEqual(['An error was reported: "slow".', 'no number'])
  })

  test('keeps the count of an error that stands for several, and its cause', () => {
    const cause = new Error('gone')
    const several = () => new RailError('RAIL_STORE_FAILED', 'Failed.', { cause, count: 7 })
    for (const now of [0, 1, 60_000]) warn(several(), now)
    expect(emitted[1]).toMatchObject({ count: 7, cause })
  })
})

test('goes to console.warn where there is no process.emitWarning', async () => {
  const { warn } = await fresh()
  const lines: string[] = []
  vi.spyOn(console, 'warn').mockImplementation((line) => void lines.push(line))
  vi.stubGlobal('process', undefined)
  try {
    warn(error('RAIL_STORE_FAILED'), 0)
    warn(new TypeError('no number'), 0)
  } finally {
    vi.unstubAllGlobals()
  }
  expect(lines).toEqual(['[RAIL_STORE_FAILED] Something failed.', 'TypeError: no number'])
})
