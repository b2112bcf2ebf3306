import { describe, expect, it } from 'vitest'
import { Ramp } from '../src/ramp.js'

/** How many may be in flight at this moment. */
function widthAt(ramp: Ramp, now: number): number {
  let inFlight = 0
  while (inFlight < 1_000 && ramp.hold(inFlight, now) === undefined) inFlight++
  return inFlight
}

/** The widths of rounds: in each, as many are answered as may be in flight. */
function rounds(ramp: Ramp, count: number, tellsLimits: boolean, now = 0): number[] {
  return Array.from({ length: count }, () => {
    const width = widthAt(ramp, now)
    for (let answer = 0; answer < Math.min(width, 100); answer++) ramp.served(tellsLimits, now)
    return width
  })
}

describe('how many may be in flight', () => {
  it('is one at first, then unlimited, if answers have limits', () => {
    expect(rounds(new Ramp(1), 2, true)).toEqual([1, 1_000])
  })

  it('doubles up to 8, then grows by nearly one each round, if they have none', () => {
    expect(rounds(new Ramp(1), 7, false)).toEqual([1, 2, 4, 8, 8, 9, 10])
  })

  it('is one after a refusal, doubles up to half of what it was, then grows by one each round', () => {
    const ramp = new Ramp(1)
    rounds(ramp, 20, false)
    ramp.refused(20, 5_000)
    expect(rounds(ramp, 7, false, 5_000)).toEqual([1, 2, 4, 8, 10, 11, 12])
  })

  it('is one after a refusal and doubles also if answers have limits: the server was overrun', () => {
    const ramp = new Ramp(1)
    rounds(ramp, 2, true)
    ramp.refused(20, 5_000)
    expect(rounds(ramp, 6, true, 5_000)).toEqual([1, 2, 4, 8, 1_000, 1_000])
  })

  it('doubles each second without an answer', () => {
    const ramp = new Ramp(1)
    ramp.sent(0, 500)
    expect([500, 1_499, 1_500, 2_500, 3_500].map((now) => widthAt(ramp, now))).toEqual([1, 1, 2, 4, 8])
    expect(ramp.hold(2, 1_600)).toEqual({ until: 2_500, reason: 'answer', requiredMs: 0 })
  })
})
