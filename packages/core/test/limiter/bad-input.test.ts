import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  durationMs,
  type LimitDefinition,
  type LimiterOptions,
  limit,
  perMinute,
  perSecond,
  RailError,
  type RailErrorCode,
  several,
  share,
} from '../../src/index.js'

/** Wrong input, as a program writes it, with the code and the whole message: what was expected, what came, what to do. */
type Wrong = readonly [what: string, make: () => unknown, code: RailErrorCode, message: string]

const of = (definition: object) => () => limit({ name: 'x', tokens: 1, per: '1s', ...definition } as LimitDefinition)
const tokens = (value: unknown) => () => perSecond(value as number)
const limiter =
  (options: object): (() => unknown) =>
  () =>
    createLimiter({ identify: () => 'acme', limits: [perSecond(1)], ...options } as LimiterOptions<object>)
/** What comes of a request. */
const request = (options: object) => () => (limiter(options)() as ReturnType<typeof createLimiter>).take({})

const NUMBERS: readonly Wrong[] = [
  [
    "perSecond('2')",
    tokens('2'),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second": expected a whole number from 1 to 999999999999999, got "2". Convert it with Number().',
  ],
  [
    'perSecond(0)',
    tokens(0),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second": expected a whole number from 1 to 999999999999999, got 0. To refuse every request, answer before the limiter.',
  ],
  [
    'perSecond(-1)',
    tokens(-1),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second": expected a whole number from 1 to 999999999999999, got -1. To refuse every request, answer before the limiter.',
  ],
  [
    'perSecond(NaN)',
    tokens(Number.NaN),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second": expected a whole number from 1 to 999999999999999, got NaN. Number(undefined) is NaN: check what you pass to it.',
  ],
  [
    'perSecond(Infinity)',
    tokens(Number.POSITIVE_INFINITY),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second": expected a whole number from 1 to 999999999999999, got Infinity. For no limit leave the limit out: limits may be [].',
  ],
  [
    'perSecond(-Infinity)',
    tokens(Number.NEGATIVE_INFINITY),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second": expected a whole number from 1 to 999999999999999, got -Infinity. To refuse every request, answer before the limiter.',
  ],
  [
    'perSecond(1.5)',
    tokens(1.5),
    'RAIL_BAD_LIMIT',
    `tokens of limit "per_second": expected a whole number from 1 to 999999999999999, got 1.5. Round it, or use a longer window: 3 per '2s'.`,
  ],
  [
    'perSecond(1n)',
    tokens(1n),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second": expected a whole number from 1 to 999999999999999, got 1n. Convert it with Number().',
  ],
  [
    'perSecond(null)',
    tokens(null),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second": expected a whole number from 1 to 999999999999999, got null. Convert it with Number().',
  ],
  [
    'perSecond()',
    tokens(undefined),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second": expected a whole number from 1 to 999999999999999, got undefined. Convert it with Number().',
  ],
  [
    'perSecond(1e15)',
    tokens(1e15),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second": expected a whole number from 1 to 999999999999999, got 1000000000000000.',
  ],
  [
    'a burst of 0',
    of({ burst: 0 }),
    'RAIL_BAD_LIMIT',
    'burst of limit "x": expected a whole number from 1 to 999999999999999, got 0. To refuse every request, answer before the limiter.',
  ],
  [
    "a burst of '5'",
    of({ burst: '5' }),
    'RAIL_BAD_LIMIT',
    'burst of limit "x": expected a whole number from 1 to 999999999999999, got "5". Convert it with Number().',
  ],
  [
    'a burst of null',
    of({ burst: null }),
    'RAIL_BAD_LIMIT',
    'burst of limit "x": expected a whole number from 1 to 999999999999999, got null. Convert it with Number().',
  ],
  [
    'a burst of 2.5',
    of({ burst: 2.5 }),
    'RAIL_BAD_LIMIT',
    `burst of limit "x": expected a whole number from 1 to 999999999999999, got 2.5. Round it, or use a longer window: 3 per '2s'.`,
  ],
  [
    'a bucket past 2^53 - 1',
    of({ tokens: 7, per: '30d', burst: 100_000_000 }),
    'RAIL_BAD_LIMIT',
    'burst of limit "x": expected at most 3474999, which whole numbers count exactly at this rate, got 100000000. Lower the burst, or round the tokens: 1_000_000 instead of 999_983.',
  ],
  [
    '0 servers',
    () => share(perSecond(10), 0),
    'RAIL_BAD_SHARE',
    'servers of share(): expected a whole number from 1, got 0. While the number is not known, use 1.',
  ],
]

const NAMES: readonly Wrong[] = [
  [
    'an empty name',
    of({ name: '' }),
    'RAIL_BAD_LIMIT',
    'name of a limit: expected 1 to 256 characters of printable ASCII, got "".',
  ],
  [
    'no name',
    of({ name: undefined }),
    'RAIL_BAD_LIMIT',
    'name of a limit: expected 1 to 256 characters of printable ASCII, got undefined.',
  ],
  [
    'a name that is a number',
    of({ name: 7 }),
    'RAIL_BAD_LIMIT',
    'name of a limit: expected 1 to 256 characters of printable ASCII, got 7.',
  ],
  [
    'a name that is not ASCII',
    of({ name: 'größe' }),
    'RAIL_BAD_LIMIT',
    'name of a limit: expected 1 to 256 characters of printable ASCII, got "größe".',
  ],
  [
    'a name with a line break',
    of({ name: 'a\nb' }),
    'RAIL_BAD_LIMIT',
    'name of a limit: expected 1 to 256 characters of printable ASCII, got "a\\nb".',
  ],
  [
    'an emoji as a name',
    of({ name: '😀' }),
    'RAIL_BAD_LIMIT',
    'name of a limit: expected 1 to 256 characters of printable ASCII, got "😀".',
  ],
  [
    'a name of 257 characters',
    of({ name: 'x'.repeat(257) }),
    'RAIL_BAD_LIMIT',
    'name of a limit: expected 1 to 256 characters of printable ASCII, got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…".',
  ],
  [
    'duplicate names',
    limiter({ limits: [perSecond(1), perSecond(2)] }),
    'RAIL_DUPLICATE_NAME',
    'limits: two limits of one request are named "per_second", ignoring case. Give one another name, or its charge a scope.',
  ],
  [
    'names that differ in case',
    limiter({ limits: [perSecond(1), perMinute(1, { name: 'PER_SECOND' })] }),
    'RAIL_DUPLICATE_NAME',
    'limits: two limits of one request are named "PER_SECOND", ignoring case. Give one another name, or its charge a scope.',
  ],
]

const OPTIONS: readonly Wrong[] = [
  [
    'limit()',
    () => limit(undefined as never),
    'RAIL_BAD_LIMIT',
    "limit(): expected { name, tokens, per }, got undefined. Write limit({ name: 'calls', tokens: 10, per: '1s' }).",
  ],
  [
    'perSecond(1, 10)',
    () => perSecond(1, 10 as never),
    'RAIL_BAD_LIMIT',
    "perSecond(): expected { burst, name, counts }, got 10. Write limit({ name: 'calls', tokens: 10, per: '1s' }).",
  ],
  [
    'counts of another kind',
    of({ counts: 'tokens' }),
    'RAIL_BAD_LIMIT',
    `counts of limit "x": expected 'cost' or 'requests', got "tokens".`,
  ],
  [
    'an unknown name in limit()',
    of({ max: 3 }),
    'RAIL_BAD_LIMIT',
    'max: not an option of limit(). Options: name, tokens, per, burst, counts.',
  ],
  [
    'a mistyped name in limit()',
    of({ brust: 3 }),
    'RAIL_BAD_LIMIT',
    'brust: not an option of limit(). Did you mean "burst"?',
  ],
  [
    'an unknown option of perSecond()',
    () => perSecond(1, { tokens: 3 } as object),
    'RAIL_BAD_LIMIT',
    'tokens: not an option of perSecond(). Options: name, burst, counts.',
  ],
  [
    "per: '10 parsecs'",
    of({ per: '10 parsecs' }),
    'RAIL_BAD_DURATION',
    `duration: expected a string like '10s' (units ms, s, m, h, d) or whole milliseconds from 1, got "10 parsecs". Write '10s', '5m' or 60_000.`,
  ],
  [
    "per: ''",
    of({ per: '' }),
    'RAIL_BAD_DURATION',
    `duration: expected a string like '10s' (units ms, s, m, h, d) or whole milliseconds from 1, got "". Write '10s', '5m' or 60_000.`,
  ],
  [
    'no per',
    of({ per: undefined }),
    'RAIL_BAD_DURATION',
    "duration: expected a string like '10s' (units ms, s, m, h, d) or whole milliseconds from 1, got undefined. Write '10s', '5m' or 60_000.",
  ],
  [
    'per: 0',
    of({ per: 0 }),
    'RAIL_BAD_DURATION',
    "duration: expected a string like '10s' (units ms, s, m, h, d) or whole milliseconds from 1, got 0. Write '10s', '5m' or 60_000.",
  ],
  [
    'a duration of 1.5 ms',
    () => durationMs(1.5),
    'RAIL_BAD_DURATION',
    "duration: expected a string like '10s' (units ms, s, m, h, d) or whole milliseconds from 1, got 1.5. Write '10s', '5m' or 60_000.",
  ],
  [
    'a mistyped option of a limiter',
    limiter({ dryrun: true }),
    'RAIL_UNKNOWN_OPTION',
    'dryrun: not an option of rateLimit(). Did you mean "dryRun"?',
  ],
  [
    'an unknown option of a limiter',
    limiter({ max: 10 }),
    'RAIL_UNKNOWN_OPTION',
    "max: not an option of rateLimit(). Write limits: [limit({ name: 'per_15_minutes', tokens: 100, per: '15m' })].",
  ],
  [
    'no options',
    () => createLimiter(undefined as never),
    'RAIL_BAD_OPTION',
    'rateLimit(): expected an object of options, got undefined.',
  ],
]

const RETURNED: readonly Wrong[] = [
  [
    'identify returns undefined',
    request({ identify: () => undefined }),
    'RAIL_NO_IDENTITY',
    `identify(): expected a customer's key, got undefined. Mount the limiter after authentication. (null means "do not limit".)`,
  ],
  [
    "identify returns ''",
    request({ identify: () => '' }),
    'RAIL_BAD_KEY',
    'identify(): expected a non-empty string, got "". Return the id of a customer.',
  ],
  [
    'identify returns a number',
    request({ identify: () => 7 }),
    'RAIL_BAD_KEY',
    'identify(): expected a non-empty string, got 7. Return String(id).',
  ],
  [
    'limits returns undefined',
    request({ limits: () => undefined }),
    'RAIL_NO_LIMITS',
    'limits(): expected an array of limits, got undefined. Check that the plan exists; [] means "no limit".',
  ],
  [
    'limits returns null',
    request({ limits: () => null }),
    'RAIL_BAD_LIMITS',
    'limits(): expected an array of limits, got null. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    'limits returns one limit',
    request({ limits: () => perSecond(1) }),
    'RAIL_BAD_LIMITS',
    'limits(): expected an array of limits, got an object. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    'limits returns numbers',
    request({ limits: () => [10] }),
    'RAIL_BAD_LIMITS',
    'limits()[0]: expected a limit, got 10. Make limits with limit() or perSecond().',
  ],
  [
    'cost returns 1.5',
    request({ cost: () => 1.5 }),
    'RAIL_BAD_COST',
    'cost(): expected a whole number of tokens from 0, got 1.5. Round it up: Math.ceil(bytes / 1024).',
  ],
  [
    'cost returns text',
    request({ cost: () => '1' }),
    'RAIL_BAD_COST',
    'cost(): expected a whole number of tokens from 0, got "1". Convert it with Number().',
  ],
  [
    'cost returns NaN',
    request({ cost: () => Number.NaN }),
    'RAIL_BAD_COST',
    'cost(): expected a whole number of tokens from 0, got NaN. Number(undefined) is NaN: check what you pass to it.',
  ],
  [
    'cost returns -1',
    request({ cost: () => -1 }),
    'RAIL_BAD_COST',
    'cost(): expected a whole number of tokens from 0, got -1. Use 0 for a free request, and settle() to give tokens back.',
  ],
  [
    'cost returns Infinity',
    request({ cost: () => Number.POSITIVE_INFINITY }),
    'RAIL_BAD_COST',
    'cost(): expected a whole number of tokens from 0, got Infinity. Lower it: a cost above the burst never fits.',
  ],
  [
    'the clock returns NaN',
    request({ clock: () => Number.NaN }),
    'RAIL_BAD_CLOCK',
    'clock(): expected milliseconds, a finite number, got NaN. Return Date.now().',
  ],
  [
    'charges returns one charge',
    request({ identify: undefined, limits: undefined, charges: several(() => ({}) as never) }),
    'RAIL_BAD_CHARGES',
    'charges of several(): expected an array, got an object. Return [{ key, limits, cost }], or [] for a request that is not limited.',
  ],
  [
    'charges returns keys',
    request({ identify: undefined, limits: undefined, charges: several(() => ['acme'] as never) }),
    'RAIL_BAD_CHARGES',
    'a charge: expected { key, limits, cost, scope? }, got "acme".',
  ],
]

describe.each([
  ['a number', NUMBERS],
  ['a name', NAMES],
  ['an option', OPTIONS],
  ['what a function returns', RETURNED],
])('where %s is wrong, the error says what was expected, what came, and what to do', (_, wrong) => {
  test.each(wrong)('%s', (_, make, code, message) => {
    let thrown: unknown
    try {
      make()
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(RailError)
    const error = thrown as RailError
    expect({ code: error.code, message: error.message }).toEqual({ code, message })
  })
})
