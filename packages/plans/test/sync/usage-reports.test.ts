import { createLimiter, type Decision, limit, MemoryStore, manualClock, perSecond } from '@rail/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { heapBytes } from '../../../core/test/heap.js'
import { LARGEST_REPORT, type SyncReport } from '../../src/protocol/messages.js'
import { UsageReports } from '../../src/sync/usage-reports.js'

/** Reports, and a limiter that fills them. */
function counting({ mostCustomers = 100, limits = [perSecond(3)] } = {}) {
  const clock = manualClock()
  const reports = new UsageReports(clock, mostCustomers)
  const source = {
    limitsFor: () => limits,
    onDecision: (decision: Decision, earlier: Decision | undefined) => reports.count(decision, earlier),
  }
  const limiter = createLimiter({ identify: ({ key }: { key: string }) => key, limits: source, clock })
  const ask = async (key: string, times = 1): Promise<void> => {
    for (let index = 0; index < times; index++) await limiter.take({ key })
  }
  return { clock, reports, limiter, ask }
}

describe('a report has', () => {
  test('the allowed and refused requests, the limits that refused, and the most in one second', async () => {
    const limits = [perSecond(3), limit({ name: 'slow', tokens: 5, per: '1h' })]
    const { clock, reports, ask } = counting({ limits })
    await ask('acme', 4)
    clock.advance(1_000)
    await ask('acme', 3)
    await ask('zeta')
    clock.advance(9_000)
    expect(reports.next()).toEqual({
      seq: 1,
      lengthMs: 10_000,
      usage: [
        [
          'acme',
          5,
          2,
          4,
          [
            ['per_second', 1],
            ['slow', 1],
          ],
        ],
        ['zeta', 1, 0, 1, []],
      ],
      unknown: [],
      dropped: 0,
    })
  })

  test('nothing, and is not made, without requests', () => {
    expect(counting().reports.next()).toBeUndefined()
  })

  test('a request that two limits refuse once', async () => {
    const { reports, ask } = counting({ limits: [perSecond(1), perSecond(1, { name: 'other' })] })
    await ask('acme', 2)
    expect(reports.next()?.usage).toEqual([
      [
        'acme',
        1,
        1,
        2,
        [
          ['per_second', 1],
          ['other', 1],
        ],
      ],
    ])
  })
})

describe('a request that is checked twice', () => {
  test('is allowed once, however often costlier routes check it', async () => {
    const { reports, limiter } = counting()
    const request = { key: 'acme' }
    await limiter.take(request)
    await limiter.with({ cost: 2 }).take(request)
    await limiter.with({ cost: 3 }).take(request)
    expect(reports.next()?.usage).toEqual([['acme', 1, 0, 1, []]])
  })

  test('is refused, and never billable, if the costlier route refuses it', async () => {
    const { reports, limiter } = counting()
    const request = { key: 'acme' }
    await limiter.take(request)
    expect((await limiter.with({ cost: () => 4 }).take(request)).refusal?.status).toBe(422)
    expect(reports.next()?.usage).toEqual([['acme', 0, 1, 1, [['per_second', 1]]]])
  })

  test('and was reported in between is taken off later counts, which are never negative', async () => {
    const { reports, limiter, ask } = counting()
    const request = { key: 'acme' }
    await limiter.take(request)
    expect(reports.next()?.usage).toEqual([['acme', 1, 0, 1, []]])
    await limiter.with({ cost: () => 4 }).take(request)
    reports.acknowledge(1)
    expect(reports.next()?.usage).toEqual([['acme', 0, 1, 0, [['per_second', 1]]]])
    reports.acknowledge(2)
    expect(reports.next()).toBeUndefined()
    await ask('acme', 2)
    expect(reports.next()?.usage).toEqual([['acme', 1, 0, 2, []]])
  })
})

describe('a report', () => {
  test('stays the same until it is acknowledged; later requests are in the next', async () => {
    const { reports, ask } = counting()
    await ask('acme')
    const first = structuredClone(reports.next())
    await ask('zeta')
    expect(reports.next()).toEqual(first)
    expect(reports.acknowledge(0)).toBe(false)
    expect(reports.next()).toEqual(first)
    reports.acknowledge(1)
    expect(reports.next()).toMatchObject({ seq: 2, usage: [['zeta', 1, 0, 1, []]] })
    reports.acknowledge(1)
    expect(reports.next()).toMatchObject({ seq: 2 })
  })

  test('has a maximum of customers; the others follow in further reports', async () => {
    const { reports, ask } = counting({ mostCustomers: 50_000 })
    for (let index = 0; index < LARGEST_REPORT + 1; index++) await ask(`c${index}`)
    expect(reports.next()?.usage).toHaveLength(LARGEST_REPORT)
    expect(reports.acknowledge(1)).toBe(true)
    expect(reports.next()).toMatchObject({ seq: 2, usage: { length: 1 } })
    expect(reports.acknowledge(2)).toBe(false)
    expect(reports.next()).toBeUndefined()
  })

  test('that is refused is halved until the wrong customer is alone, who is dropped and reported', async () => {
    const { reports, ask } = counting()
    for (const key of ['a', 'b', 'c', 'bad']) await ask(key, 2)
    reports.addUnknown('new')
    const counted: SyncReport[] = []
    for (let report = reports.next(); report !== undefined; report = reports.next()) {
      if (report.usage.some(([key]) => key === 'bad')) reports.refuse()
      else {
        counted.push(report)
        reports.acknowledge(report.seq)
      }
    }
    expect(counted.flatMap(({ usage }) => usage.map(([key, allowed]) => [key, allowed]))).toEqual([
      ['a', 2],
      ['b', 2],
      ['c', 2],
    ])
    expect(counted.flatMap(({ unknown }) => unknown)).toEqual(['new'])
    expect(counted.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(2)
    expect(counted.map(({ seq }) => seq)).toEqual(counted.map((_, index) => index + 1))
  })
})

describe('memory', () => {
  test('is bounded: requests of more customers are reported as dropped', async () => {
    const { reports, ask } = counting({ mostCustomers: 2 })
    await ask('a')
    await ask('b')
    await ask('c', 3)
    await ask('a')
    expect(reports.size).toBe(2)
    expect(reports.next()).toMatchObject({
      usage: [
        ['a', 2, 0, 2, []],
        ['b', 1, 0, 1, []],
      ],
      dropped: 3,
    })
  })

  test('is bounded for any keys: requests without room are reported as dropped', async () => {
    const { reports, ask } = counting({ mostCustomers: 4 })
    await ask('a'.repeat(250))
    await ask('b'.repeat(7), 2)
    await ask('c'.repeat(6))
    await ask('d')
    await ask('a'.repeat(250))
    const lengths = reports.next()?.usage.map(([key, allowed]) => [key.length, allowed])
    expect(lengths).toEqual([
      [250, 2],
      [6, 1],
    ])
    expect(reports.next()?.dropped).toBe(3)
    reports.acknowledge(1)
    await ask('e'.repeat(256))
    expect(reports.next()?.usage).toHaveLength(1)
  })

  test('is bounded by the characters of unknown customers', () => {
    const { reports } = counting()
    const long = (letter: string): string => letter.repeat(LARGEST_REPORT * 32)
    for (let round = 1; round <= 2; round++) {
      for (const key of [long('a'), long('a'), `${long('b')}b`, long('c'), 'd']) reports.addUnknown(key)
      expect(reports.next()?.unknown.map((key) => key[0])).toEqual(['a', 'c'])
      reports.acknowledge(round)
    }
  })

  test('is small also if keys are slices of long headers', async () => {
    const { reports, ask } = counting({ mostCustomers: 4_000 })
    const keyOf = (index: number): string =>
      Buffer.from(`${index}`.padStart(40, 'k').padEnd(8_000)).toString().slice(0, 40)
    const empty = heapBytes()
    for (let index = 0; index < 4_000; index++) {
      reports.addUnknown(keyOf(index))
      await ask(keyOf(index))
    }
    expect(heapBytes() - empty).toBeLessThan(8_000_000)
    expect(reports.next()).toMatchObject({ usage: { length: 4_000 }, unknown: { length: 4_000 }, dropped: 0 })
  })

  test('is bounded while no report is acknowledged', async () => {
    const { reports, ask } = counting({ mostCustomers: 2 })
    for (let round = 0; round < 10; round++) {
      for (let index = 0; index < 10; index++) await ask(`${round} ${index}`)
      reports.next()
    }
    expect(reports.size).toBe(4)
  })
})

test('every request is counted once, whatever is lost, repeated or refused on the way', async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('ask' as const),
      key: fc.constantFrom('a', 'b', 'c'),
      costs: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constantFrom(
        'arrives' as const,
        'answer is lost' as const,
        'request is lost' as const,
        'too large' as const,
      ),
    }),
    fc.record({ kind: fc.constant('later' as const), ms: fc.integer({ min: 1, max: 1_500 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { clock, reports, limiter } = counting()
      const truth = { allowed: 0, refused: 0 }
      const counted = new Map<number, SyncReport>()
      const send = (kind: string): void => {
        const report = reports.next()
        if (report === undefined || kind === 'request is lost') return
        if (kind === 'too large' && report.usage.length > 1 && !counted.has(report.seq)) {
          reports.refuse()
          return
        }
        if (!counted.has(report.seq)) counted.set(report.seq, structuredClone(report))
        if (kind === 'arrives') reports.acknowledge(report.seq)
      }
      for (const one of steps) {
        if (one.kind === 'later') clock.advance(one.ms)
        else if (one.kind !== 'ask') send(one.kind)
        else {
          const request = { key: one.key }
          let allowed = true
          for (const cost of one.costs) {
            allowed = (await limiter.with({ cost }).take(request)).refusal === undefined
            send('request is lost')
          }
          truth[allowed ? 'allowed' : 'refused'] += 1
        }
      }
      // Enough requests for each to make up for what was reported too early.
      for (const key of ['a', 'b', 'c']) {
        for (let index = 0; index < 60; index++) {
          clock.advance(1_000)
          await limiter.take({ key })
          truth.allowed += 1
        }
      }
      for (let index = 0; index < 10; index++) send('arrives')
      const rows = [...counted.values()].flatMap(({ usage }) => usage)
      expect(rows.reduce((sum, [, allowed]) => sum + allowed, 0)).toBe(truth.allowed)
      expect(rows.reduce((sum, [, , refused]) => sum + refused, 0)).toBe(truth.refused)
      expect(
        Math.min(
          0,
          ...rows.flatMap(([, allowed, refused, , by]) => [allowed, refused, ...by.map(([, count]) => count)]),
        ),
      ).toBe(0)
    }),
    { numRuns: 150 },
  )
})

test('one store and two limiters: each counts its own decisions', async () => {
  const clock = manualClock()
  const reports = new UsageReports(clock, 10)
  const source = { limitsFor: () => [perSecond(3)], onDecision: reports.count.bind(reports) }
  const store = new MemoryStore()
  for (const scope of ['a', 'b'])
    await createLimiter({ identify: () => 'acme', limits: source, store, scope, clock }).take({})
  expect(reports.next()?.usage).toEqual([['acme', 2, 0, 2, []]])
})
