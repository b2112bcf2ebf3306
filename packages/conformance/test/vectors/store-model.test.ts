import { type Limit, MemoryStore } from '@rail/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MemoryStore as SmallStore } from '../../../core/src/memory/small-store.js'
import { rateOf } from '../../src/exact/exact-bucket.js'
import { compare, plus, times, whole, ZERO } from '../../src/exact/fraction.js'
import { drawnLimit, program, vectorOf } from '../../src/vectors/programs.js'
import { chargesIn, checkVector, type VectorStep } from '../../src/vectors/vectors.js'
import { excessOf, flowsOf } from './store-flows.js'

const SEED = 20_261_129

type Answered = Extract<VectorStep, { op: 'take' | 'peek' }>

describe(`the memory store over programs drawn with seed ${SEED}`, () => {
  test.each([
    ['the table', MemoryStore],
    ['the small store', SmallStore],
  ])('%s decides as exact arithmetic does, step by step', async (_, Store) => {
    let steps = 0
    const property = fc.asyncProperty(program(60), (drawn) => {
      const vector = vectorOf('drawn', drawn)
      steps += vector.steps.length
      return checkVector(new Store(), vector)
    })
    await fc.assert(property, { seed: SEED, numRuns: 300 })
    expect(steps).toBeGreaterThan(5_000)
  })

  test('a refusal takes nothing; a millisecond before the end of the wait is refused, its end is allowed', () => {
    let refusals = 0
    const property = fc.property(program(60), (drawn) => {
      const { steps } = vectorOf('drawn', drawn)
      for (const [index, step] of steps.entries()) {
        if (step.op !== 'take' || step.answer.allowed) continue
        refusals++
        const [before, , after, early, due] = steps.slice(index - 1, index + 4) as Answered[]
        if (step.before === undefined && bucketsOf(before) !== bucketsOf(after)) return false
        const { wait } = step.answer
        if (wait === null) continue
        if (early?.now !== step.now + wait - 1 || early.answer.allowed || early.answer.wait !== 1) return false
        if (due?.now !== step.now + wait || !due.answer.allowed) return false
      }
      return true
    })
    fc.assert(property, { seed: SEED, numRuns: 150 })
    expect(refusals).toBeGreaterThan(500)
  })

  test('no window admits more than burst + rate * window + what was given back in it', () => {
    let flows = 0
    const property = fc.property(program(60), (drawn) =>
      flowsOf(vectorOf('drawn', drawn)).every((bucket) => {
        flows += bucket.flows.length
        return compare(excessOf(bucket.limit, bucket.flows), ZERO) <= 0
      }),
    )
    fc.assert(property, { seed: SEED, numRuns: 150 })
    expect(flows).toBeGreaterThan(1_000)
  })

  test('a change of a limit leaves no more than was left and its burst grew by, and adds no wait to another', () => {
    let changes = 0
    const property = fc.property(program(40), drawnLimit('limit_0'), drawnLimit('limit_0'), (drawn, before, after) => {
      const { limits, steps } = vectorOf('drawn', { ...drawn, limits: [[before], ...drawn.limits.slice(1)] })
      const others = drawn.limits.slice(1).map((definitions) => definitions[0] as Limit)
      // A request of cost 0 only drains the buckets, but a limit that counts requests counts it.
      if ([before, after, ...others].some((limit) => limit.counts === 'requests')) return
      const chargesOf = chargesIn(limits)
      const store = new MemoryStore()
      let now = 0
      for (const step of steps) {
        if (step.op === 'reset') continue
        now = step.now
        if (step.op === 'settle') store.settle(chargesOf(step.charges), step.actual, now)
        if (step.op === 'take') store.take(chargesOf(step.charges), now, chargesOf(step.before ?? []))
      }
      for (const [scope, key] of [
        ['', 'a'],
        ['', 'b'],
        ['writes', 'a'],
        ['writes', 'b'],
      ] as const) {
        const [was] = store.take([{ scope, key, cost: 0, limits: [before, ...others] }], now).limits
        const kept = store.peek([{ scope, key, cost: 0, limits: others }], now).limits
        const [is, ...unchanged] = store.take([{ scope, key, cost: 0, limits: [after, ...others] }], now).limits
        if (was !== undefined && was.remaining < before.burst) changes++
        expect(is?.remaining).toBeLessThanOrEqual((was?.remaining ?? 0) + Math.max(0, after.burst - before.burst))
        expect(unchanged).toEqual(kept)
      }
    })
    fc.assert(property, { seed: SEED, numRuns: 300 })
    expect(changes).toBeGreaterThan(100)
  })

  test('two definitions that take turns admit no more than the larger burst, and the larger rate over the window', () => {
    let refused = 0
    const turns = fc.array(
      fc.record({ waitMs: fc.nat({ max: 20_000 }), first: fc.boolean(), percent: fc.nat({ max: 60 }) }),
      {
        minLength: 20,
        maxLength: 60,
      },
    )
    const property = fc.property(drawnLimit('limit_0'), drawnLimit('limit_0'), turns, (one, other, drawn) => {
      // A share allows a cost above its burst, into debt, which this bound does not cover.
      if ([one, other].some(({ burst, wholeBurst, counts }) => burst !== wholeBurst || counts === 'requests')) return
      const store = new MemoryStore()
      const burst = Math.max(one.burst, other.burst)
      const rate = compare(rateOf(one), rateOf(other)) > 0 ? rateOf(one) : rateOf(other)
      let [now, admitted] = [0, 0]
      for (const { waitMs, first, percent } of drawn) {
        now += waitMs
        const limit = first ? one : other
        const cost = Math.ceil((limit.burst * percent) / 100)
        if (store.take([{ key: 'a', limits: [limit], cost }], now).allowed) admitted += cost
        else refused++
        expect(compare(whole(admitted), plus(whole(burst), times(rate, whole(now))))).toBeLessThanOrEqual(0)
      }
    })
    fc.assert(property, { seed: SEED, numRuns: 500 })
    expect(refused).toBeGreaterThan(500)
  })

  test('a raise leaves no less than before, after whatever changes of the limit', () => {
    let raised = 0
    const changes = fc.array(fc.tuple(drawnLimit('limit_0'), fc.nat({ max: 100 }), fc.nat({ max: 20_000 })), {
      minLength: 3,
      maxLength: 12,
    })
    const property = fc.property(changes, (drawn) => {
      const store = new MemoryStore()
      let [now, left, before] = [0, 0, undefined as Limit | undefined]
      for (const [drawnAs, percent, waitMs] of drawn) {
        const limit = { ...drawnAs, counts: 'cost' as const }
        if (before !== undefined)
          left = store.peek([{ key: 'a', limits: [before], cost: 0 }], now).limits[0]?.remaining ?? 0
        const is = store.take([{ key: 'a', limits: [limit], cost: 0 }], now).limits[0]?.remaining ?? 0
        if (before !== undefined && limit.burst >= before.burst) {
          raised++
          expect(is).toBeGreaterThanOrEqual(left)
        }
        store.take([{ key: 'a', limits: [limit], cost: Math.ceil((limit.burst * percent) / 100) }], now)
        now += waitMs
        before = limit
      }
    })
    fc.assert(property, { seed: SEED, numRuns: 500 })
    expect(raised).toBeGreaterThan(500)
  })
})

/** What is left and when it is full. */
function bucketsOf(step: Answered | undefined): string {
  return JSON.stringify([step?.now, step?.answer.left, step?.answer.full])
}

describe('the measure of a window', () => {
  const limit = { tokens: 1, windowMs: 1_000, burst: 10 } as Limit
  const flow = (passedMs: number, admitted: number, givenBack = 0) => ({ passedMs, admitted, givenBack })

  test.each([
    { flows: [flow(0, 10), flow(1_000, 1), flow(3_000, 2)], excess: 0 },
    { flows: [flow(0, 10), flow(999, 1)], excess: 1 },
    { flows: [flow(0, 1), flow(100_000, 10), flow(101_999, 2)], excess: 1 },
    { flows: [flow(0, 10), flow(0, 0, 3), flow(0, 3)], excess: 0 },
    { flows: [flow(0, 10), flow(0, 0, 3), flow(0, 4)], excess: 1 },
  ])('sees a token too many in $flows', ({ flows, excess }) => {
    expect(compare(excessOf(limit, flows), ZERO)).toBe(excess)
  })
})
