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
