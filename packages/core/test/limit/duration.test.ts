import { describe, expect, test } from 'vitest'
import { type Duration, durationMs, RailError } from '../../src/index.js'

describe('a duration', () => {
  test.each<[Duration, number]>([
    ['1ms', 1],
    ['250ms', 250],
    ['1s', 1_000],
    ['10s', 10_000],
    ['1m', 60_000],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
    ['30d', 2_592_000_000],
    ['30 d', 2_592_000_000],
    ['1.5h', 5_400_000],
    ['1.1s', 1_100],
    ['0.001s', 1],
    ['4.35s', 4_350],
    ['1.005s', 1_005],
    [1, 1],
    [86_400_000, 86_400_000],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('%o is %i ms', (duration, ms) => {
    expect(durationMs(duration)).toBe(ms)
  })

  test.each([
    ...[
      '10 parsecs',
      '10',
      's',
      '',
      ' 10s',
      '10s ',
      '10  s',
      '-1s',
      '+1s',
      '1e3s',
      '0s',
      '0ms',
      '0.5ms',
      '1.0001s',
      '1,5h',
      '10S',
      '10sec',
      '१s',
      'NaNs',
    ],
    ...['9007199254740991s', '99999999999999999ms'],
    ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, null, undefined, 1n, {}, ['10s'], new Date(0)],
  ])('%o is none', (duration) => {
    const read = () => durationMs(duration as Duration)
    expect(read).toThrow(RailError)
    expect(read).toThrow(expect.objectContaining({ code: 'RAIL_BAD_DURATION' }))
    expect(read).toThrow(
      /^duration: expected a string like '10s' \(units ms, s, m, h, d\) or whole milliseconds from 1, got /,
    )
  })
})
