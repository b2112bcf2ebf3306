import { describe, expect, it } from 'vitest'
import { type Flight, KnownLimit } from '../src/known-limit.js'

/** Sends and answers of one scope, in their order. */
type Event = { readonly send: string } | { readonly answer: string; readonly left: number }

/** What is known to be left after these events, all within the time until the reset. */
function leftAfter(events: readonly Event[]): number {
  const limit = new KnownLimit('a')
  const flights = new Map<string, Flight>()
  events.forEach((event, tick) => {
    if ('send' in event) flights.set(event.send, { tick, sentAt: tick })
    else limit.learn({ remaining: event.left, resetAfterMs: 60_000 }, flights.get(event.answer) as Flight, tick, tick)
  })
  return limit.leastLeft(events.length)
}

const send = (send: string): Event => ({ send })
const answer = (answer: string, left: number): Event => ({ answer, left })

describe('what is left of a limit', () => {
  it.each<{ when: string; events: readonly Event[]; left: number }>([
    { when: 'one answer has come', events: [send('a'), answer('a', 9)], left: 9 },
    {
      when: 'answers come in turn: the latest',
      events: [send('a'), answer('a', 9), send('b'), answer('b', 20)],
      left: 20,
    },
    { when: 'two were in flight: the least', events: [send('a'), send('b'), answer('b', 8), answer('a', 9)], left: 8 },
    {
      when: 'an answer is late, whose request was sent before another was answered: still the least',
      events: [send('a'), send('b'), answer('b', 8), send('c'), answer('c', 30), answer('a', 9)],
      left: 9,
    },
    {
      when: 'a late answer is of an old request: it makes no other old',
      events: [send('a'), send('b'), send('c'), answer('c', 5), answer('a', 9), answer('b', 8)],
      left: 5,
    },
    {
      when: 'one was sent after the others were answered: only it counts',
      events: [send('a'), send('b'), answer('a', 2), answer('b', 1), send('c'), answer('c', 40)],
      left: 40,
    },
    {
      when: 'one of those that overlapped was answered before the next was sent: it is old',
      events: [send('a'), answer('a', 1), send('b'), send('c'), answer('c', 7), answer('b', 9)],
      left: 7,
    },
  ])('when $when', ({ events, left }) => {
    expect(leftAfter(events)).toBe(left)
  })

  it('is at least one after the reset, and more if more was left', () => {
    const limit = new KnownLimit('a')
    limit.learn({ remaining: 0, resetAfterMs: 100 }, { tick: 0, sentAt: 0 }, 1, 0)
    expect([limit.leastLeft(99), limit.leastLeft(100)]).toEqual([0, 1])
    limit.learn({ remaining: 7, resetAfterMs: 100 }, { tick: 2, sentAt: 0 }, 3, 0)
    expect([limit.leastLeft(99), limit.leastLeft(100)]).toEqual([7, 7])
  })
})

describe('the interval between requests', () => {
  const interval = (
    parsed: { remaining: number; quota?: number; windowMs?: number; resetAfterMs: number },
    left = parsed.remaining,
  ) => {
    const limit = new KnownLimit('a')
    limit.learn(parsed, { tick: 0, sentAt: 0 }, 1, 0)
    return Math.round(limit.interval(left, 0, 0, 0.2))
  }

  it.each([
    { of: 'plenty is none', parsed: { remaining: 21, quota: 100, windowMs: 60_000, resetAfterMs: 30_000 }, ms: 0 },
    {
      of: 'a window’s last spreads them until the reset',
      parsed: { remaining: 19, quota: 100, windowMs: 60_000, resetAfterMs: 30_000 },
      ms: 1_500,
    },
    {
      of: 'a window’s very last is the middle of it',
      parsed: { remaining: 1, quota: 100, windowMs: 60_000, resetAfterMs: 30_000 },
      ms: 15_000,
    },
    {
      of: 'a bucket at the reserve is its own rate',
      parsed: { remaining: 19, quota: 100, windowMs: 60_000, resetAfterMs: 49_000 },
      ms: 600,
    },
    {
      of: 'a bucket with little left is longer',
      parsed: { remaining: 4, quota: 100, windowMs: 60_000, resetAfterMs: 58_000 },
      ms: 2_400,
    },
    { of: 'a limit without a policy spreads them too', parsed: { remaining: 0, resetAfterMs: 10_000 }, ms: 10_000 },
  ])('of $of', ({ parsed, ms }) => {
    expect(interval(parsed)).toBe(ms)
  })

  it('uses the most that ever remained as the quota if none is sent', () => {
    const limit = new KnownLimit(undefined)
    limit.learn({ remaining: 100, resetAfterMs: 60_000 }, { tick: 0, sentAt: 0 }, 1, 0)
    limit.learn({ remaining: 21, resetAfterMs: 60_000 }, { tick: 2, sentAt: 0 }, 3, 0)
    expect(limit.interval(21, 0, 0, 0.2)).toBe(0)
    expect(limit.interval(20, 0, 0, 0.2)).toBeGreaterThan(0)
  })
})
