import { type Charge, type Limit, limit, perMinute, perSecond, share } from '@rail/core'
import { disjoint } from '@rail/core/store'
import fc from 'fast-check'

/** One thing that is done to a store. */
export type Step =
  | {
      readonly do: 'take' | 'peek'
      readonly charges: readonly Charge[]
      /** What the same request took earlier. */
      readonly before?: readonly Charge[] | undefined
    }
  | { readonly do: 'settle'; readonly charges: readonly Charge[]; readonly actual: number }
  | { readonly do: 'reset'; readonly key: string; readonly scope: string }
  | { readonly do: 'wait'; readonly ms: number }

const MOST = Number.MAX_SAFE_INTEGER

/** Definitions of three names: those of one name take turns, so that limits change under buckets. */
const DEFINITIONS: Readonly<Record<string, readonly Limit[]>> = {
  a: [
    perSecond(10, { name: 'a' }),
    perSecond(1, { name: 'a', burst: 10 }),
    perMinute(300, { name: 'a' }),
    share(perSecond(10, { name: 'a' }), 4),
    share(perSecond(10, { name: 'a' }), 3),
  ],
  b: [
    limit({ name: 'b', tokens: 999_983, per: '1d' }),
    limit({ name: 'b', tokens: 7, per: '13s', burst: 20 }),
    limit({ name: 'b', tokens: 11, per: 9_973 }),
    perSecond(5, { name: 'b', counts: 'requests' }),
  ],
  // Grains of up to 2^53: products that no double holds.
  c: [
    limit({ name: 'c', tokens: 1, per: 6_700_417, burst: Math.floor(MOST / 6_700_417) }),
    limit({ name: 'c', tokens: 3, per: 2_147_483_647, burst: Math.floor(MOST / 2_147_483_647) }),
    limit({ name: 'c', tokens: 2, per: 2_147_483_629, burst: 3 }),
    limit({ name: 'c', tokens: 999_999_999_999, per: 7, burst: 999_999_999_999 }),
    limit({ name: 'c', tokens: 1, per: '30d', burst: 1_000_000 }),
  ],
}

const limits: fc.Arbitrary<readonly Limit[]> = fc
  .tuple(
    ...Object.values(DEFINITIONS).map((definitions) =>
      fc.option(fc.constantFrom(...definitions), { nil: undefined, freq: 2 }),
    ),
  )
  .map((drawn) => drawn.filter((each) => each !== undefined))
  .filter((drawn) => drawn.length > 0)
  .chain((drawn) => fc.shuffledSubarray(drawn, { minLength: drawn.length, maxLength: drawn.length }))

const cost = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 25 }) },
  { weight: 2, arbitrary: fc.nat({ max: 2_000_000 }) },
  { weight: 1, arbitrary: fc.maxSafeNat() },
)

const charge: fc.Arbitrary<Charge> = fc.record(
  {
    key: fc.constantFrom('acme', '{emoji 😀}', 'zenith'),
    scope: fc.constantFrom('', 'writes'),
    limits,
    cost,
  },
  { requiredKeys: ['key', 'limits', 'cost'] },
)

const charges = fc.oneof(
  { weight: 3, arbitrary: charge.map((one) => [one]) },
  { weight: 1, arbitrary: fc.array(charge, { minLength: 2, maxLength: 4 }) },
)

/** Charges that one take can have taken: no two meet in a bucket under different definitions. */
function canBeTaken(drawn: readonly Charge[]): boolean {
  try {
    disjoint(drawn)
    return true
  } catch {
    return false
  }
}

const before = fc.option(charges.filter(canBeTaken), { nil: undefined, freq: 5 })

const onward = [
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 100_000_000 }) },
  { weight: 1, arbitrary: fc.maxSafeNat().map((ms) => Math.floor(ms / 1_000)) },
]
const back = { weight: 2, arbitrary: fc.integer({ min: -120_000, max: -1 }) }

const stepWith = (wait: fc.Arbitrary<number>): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant('take' as const), charges, before }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('peek' as const), charges, before }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const), charges, actual: cost }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('reset' as const),
        key: fc.constantFrom('acme', 'zenith'),
        scope: fc.constantFrom('', 'writes'),
      }),
    },
    { weight: 6, arbitrary: wait.map((ms) => ({ do: 'wait' as const, ms })) },
  )

const programsOf = (wait: fc.Arbitrary<number>): fc.Arbitrary<readonly Step[]> =>
  fc.array(stepWith(wait), { minLength: 20, maxLength: 60, size: 'max' })

/** Random programs of takes, peeks, settles, resets, changes of limits and jumps of the clock both ways. */
export const programs = programsOf(fc.oneof(...onward, back))

/** The same with a clock that only goes on. */
export const onwardPrograms = programsOf(fc.oneof(...onward))
