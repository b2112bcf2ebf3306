import { type Limit, limit, share } from '@rail/core'
import fc from 'fast-check'
import { VectorRecorder } from './vector-recorder.js'
import type { Vector, VectorCharge } from './vectors.js'

/** The requests of several customers on one store, drawn at random. Times and costs are relative: see {@link vectorOf}. */
export interface Program {
  readonly start: number
  /** For each name of a limit, the definitions that it has in turn. */
  readonly limits: readonly (readonly Limit[])[]
  readonly steps: readonly ProgramStep[]
}

type ProgramStep =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'take'; readonly charges: readonly ProgramCharge[] }
  | { readonly do: 'takeMore'; readonly which: number; readonly cost: ProgramCost; readonly fewer: boolean }
  | { readonly do: 'settle'; readonly which: number; readonly cost: ProgramCost }
  | { readonly do: 'change'; readonly name: number; readonly definition: number; readonly scope: number }
  | {
      readonly do: 'changeAndBack'
      readonly name: number
      readonly through: readonly number[]
      readonly percent: number
    }
  | { readonly do: 'reset'; readonly key: number; readonly scope: number }

interface ProgramCharge {
  readonly scope: number
  readonly key: number
  /** Names, in order; taken modulo how many there are. */
  readonly names: readonly number[]
  readonly cost: ProgramCost
}

/** Tokens, or a part of a burst. */
interface ProgramCost {
  readonly percent: number
  readonly tokens: number
}

const KEYS = ['a', 'b']
const SCOPES = ['', 'writes']

const cost = (): fc.Arbitrary<ProgramCost> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ percent: fc.constant(0), tokens: fc.integer({ min: 0, max: 3 }) }) },
    { weight: 3, arbitrary: fc.record({ percent: fc.integer({ min: 0, max: 200 }), tokens: fc.constant(0) }) },
    { weight: 1, arbitrary: fc.record({ percent: fc.constantFrom(50, 100, 200), tokens: fc.constantFrom(0, 1) }) },
  )

const waitMs = (): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 300_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 90_000_000 }) },
    { weight: 2, arbitrary: fc.integer({ min: -120_000, max: -1 }) },
    { weight: 1, arbitrary: fc.constantFrom(-1, -59_999, -60_000, -60_001, 60_000) },
  )

const step = (): fc.Arbitrary<ProgramStep> => {
  const which = fc.nat({ max: 20 })
  const names = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 })
  const charge = fc.record({ scope: fc.nat({ max: 1 }), key: fc.nat({ max: 1 }), names, cost: cost() })
  const charges = fc.oneof(
    { weight: 2, arbitrary: fc.array(charge, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(charge, { minLength: 2, maxLength: 4 }) },
  )
  return fc.oneof(
    { weight: 10, arbitrary: fc.record({ do: fc.constant('take' as const), charges }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: waitMs() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const), which, cost: cost() }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('takeMore' as const), which, cost: cost(), fewer: fc.boolean() }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('changeAndBack' as const),
        name: fc.nat({ max: 3 }),
        through: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }),
        percent: fc.integer({ min: 0, max: 80 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('change' as const),
        name: fc.nat({ max: 3 }),
        definition: fc.nat({ max: 3 }),
        scope: fc.nat({ max: 2 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('reset' as const), key: fc.nat({ max: 1 }), scope: fc.nat({ max: 1 }) }),
    },
  )
}

const rate = (): fc.Arbitrary<{ tokens: number; per: number }> =>
  fc.oneof(
    fc.constantFrom(
      { tokens: 1, per: 1_000 },
      { tokens: 10, per: 1_000 },
      { tokens: 7, per: 1_000 },
      { tokens: 300, per: 60_000 },
      { tokens: 11, per: 13_000 },
      { tokens: 999_983, per: 86_400_000 },
      { tokens: 1, per: 2_592_000_000 },
    ),
    fc.record({ tokens: fc.integer({ min: 1, max: 1_000 }), per: fc.integer({ min: 1, max: 100_000 }) }),
  )

/** A limit, or a share of one, with a burst of its own or not. */
export const drawnLimit = (name: string): fc.Arbitrary<Limit> =>
  fc
    .record({
      rate: rate(),
      burst: fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 2_000 })),
      counts: fc.constantFrom('cost', 'cost', 'cost', 'cost', 'requests'),
      servers: fc.constantFrom(1, 1, 1, 2, 4, 7, 40),
    })
    .map(({ rate, burst, counts, servers }) => share(limit({ name, ...rate, burst, counts }), servers))

/** Programs of up to `longest` steps. */
export const program = (longest: number): fc.Arbitrary<Program> =>
  fc.record({
    start: fc.constantFrom(0, 1_000_003, 1_796_000_000_000),
    limits: fc
      .integer({ min: 1, max: 4 })
      .chain((count) =>
        fc.tuple(
          ...Array.from({ length: count }, (_, index) =>
            fc.array(drawnLimit(`limit_${index}`), { minLength: 1, maxLength: 4 }),
          ),
        ),
      ),
    steps: fc.array(step(), { minLength: 1, maxLength: longest, size: 'max' }),
  })

/** A take that may still be settled, or taken again at another cost. */
interface Taken {
  readonly charges: readonly VectorCharge[]
  readonly names: readonly (readonly number[])[]
}

/** Runs a program on the exact store. A take has the definitions of its moment, a settle is of a take that was allowed. */
export function vectorOf(name: string, { start, limits: definitions, steps }: Program): Vector {
  const idOf = (limitName: number, definition: number) => `${limitName}.${definition}`
  const limits = Object.fromEntries(
    definitions.flatMap((each, limitName) => each.map((limit, definition) => [idOf(limitName, definition), limit])),
  )
  const recorder = new VectorRecorder(name, limits)
  const current = definitions.map(() => 0)
  const taken: Taken[] = []
  let now = start

  const idsOf = (names: readonly number[]) => names.map((each) => idOf(each, current[each] as number))
  const costOf = ({ percent, tokens }: ProgramCost, ids: readonly string[]) => {
    const { burst } = limits[ids[percent % ids.length] as string] as Limit
    return tokens + Math.floor((burst * percent) / 100)
  }
  const take = (charges: readonly VectorCharge[], names: Taken['names'], before?: readonly VectorCharge[]) => {
    if (recorder.take(charges, now, before).allowed) taken.push({ charges, names })
  }
  /** Gives a name another definition, and charges the buckets in some scopes under it. */
  const change = (name: number, definition: number, scopes: readonly string[]): Limit => {
    const each = definitions[name] as readonly Limit[]
    current[name] = definition % each.length
    for (const scope of scopes) {
      const charges = KEYS.map((key) => ({ scope, key, limits: idsOf([name]), cost: 0 }))
      recorder.take(charges, now)
    }
    return each[current[name]] as Limit
  }
  const pick = (which: number) => taken.splice(which % taken.length, 1)[0]

  for (const step of steps) {
    switch (step.do) {
      case 'wait':
        now += step.ms
        break
      case 'change':
        // One scope in three is charged under the change at its next take only.
        if (step.name < current.length) change(step.name, step.definition, SCOPES.slice(step.scope, step.scope + 1))
        break
      case 'changeAndBack': {
        if (step.name >= current.length) break
        const definition = current[step.name] as number
        const ids = idsOf([step.name])
        const cost = costOf({ percent: 100 - step.percent, tokens: 0 }, ids)
        recorder.take([{ scope: '', key: 'a', limits: ids, cost }], now)
        for (const each of step.through) {
          const { burst, windowMs, tokens } = change(step.name, each, SCOPES)
          now += Math.floor((step.percent * burst * windowMs) / tokens / 100)
        }
        change(step.name, definition, SCOPES)
        break
      }
      case 'reset':
        recorder.reset(KEYS[step.key] as string, SCOPES[step.scope] as string)
        break
      case 'take': {
        const names = step.charges.map((charge) => [...new Set(charge.names.map((each) => each % current.length))])
        const charges = step.charges.map(({ scope, key, cost }, index) => {
          const ids = idsOf(names[index] as number[])
          return { scope: SCOPES[scope] as string, key: KEYS[key] as string, limits: ids, cost: costOf(cost, ids) }
        })
        take(charges, names)
        break
      }
      case 'takeMore': {
        const earlier = pick(step.which)
        if (earlier === undefined) break
        const names = earlier.names.map((each) => (step.fewer && each.length > 1 ? each.slice(1) : each))
        const charges = earlier.charges.map((charge, index) => {
          const ids = idsOf(names[index] as number[])
          return { ...charge, limits: ids, cost: costOf(step.cost, ids) }
        })
        take(charges, names, earlier.charges)
        break
      }
      case 'settle': {
        const earlier = pick(step.which)
        if (earlier !== undefined) {
          recorder.settle(earlier.charges, costOf(step.cost, earlier.charges[0]?.limits ?? []), now)
        }
      }
    }
  }
  return recorder.vector
}
