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

const ITS_OPTIONS =
  'Its options: identify, charges, cost, store, scope, exposeHeaders, maxRetryAfter, jitter, onReject, skip, skipPreflights, dryRun, onStoreFailure, servers, onDecision, onError, clock, limits, headers, body.'

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
    'tokens of limit "per_second" is a whole number from 1 to 999999999999999, got "2". Give a number: Number() makes one of a text.',
  ],
  [
    'perSecond(0)',
    tokens(0),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second" is a whole number from 1 to 999999999999999, got 0. 0 would refuse everybody: give 1 or more.',
  ],
  [
    'perSecond(-1)',
    tokens(-1),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second" is a whole number from 1 to 999999999999999, got -1. -1 would refuse everybody: give 1 or more.',
  ],
  [
    'perSecond(NaN)',
    tokens(Number.NaN),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second" is a whole number from 1 to 999999999999999, got NaN. See where it comes from: Number() makes NaN of undefined and of words.',
  ],
  [
    'perSecond(Infinity)',
    tokens(Number.POSITIVE_INFINITY),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second" is a whole number from 1 to 999999999999999, got Infinity. For no limit leave the limit out: limits may be [].',
  ],
  [
    'perSecond(-Infinity)',
    tokens(Number.NEGATIVE_INFINITY),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second" is a whole number from 1 to 999999999999999, got -Infinity. -Infinity would refuse everybody: give 1 or more.',
  ],
  [
    'perSecond(1.5)',
    tokens(1.5),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second" is a whole number from 1 to 999999999999999, got 1.5. Round it, or take a longer window: 3 per \'2s\'.',
  ],
  [
    'perSecond(1n)',
    tokens(1n),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second" is a whole number from 1 to 999999999999999, got 1n. Give a number: Number() makes one of a text.',
  ],
  [
    'perSecond(null)',
    tokens(null),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second" is a whole number from 1 to 999999999999999, got null. Give a number: Number() makes one of a text.',
  ],
  [
    'perSecond()',
    tokens(undefined),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second" is a whole number from 1 to 999999999999999, got undefined. Give a number: Number() makes one of a text.',
  ],
  [
    'perSecond(1e15)',
    tokens(1e15),
    'RAIL_BAD_LIMIT',
    'tokens of limit "per_second" is a whole number from 1 to 999999999999999, got 1000000000000000. Lower it.',
  ],
  [
    'a burst of 0',
    of({ burst: 0 }),
    'RAIL_BAD_LIMIT',
    'burst of limit "x" is a whole number from 1 to 999999999999999, got 0. 0 would refuse everybody: give 1 or more.',
  ],
  [
    "a burst of '5'",
    of({ burst: '5' }),
    'RAIL_BAD_LIMIT',
    'burst of limit "x" is a whole number from 1 to 999999999999999, got "5". Give a number: Number() makes one of a text.',
  ],
  [
    'a burst of null',
    of({ burst: null }),
    'RAIL_BAD_LIMIT',
    'burst of limit "x" is a whole number from 1 to 999999999999999, got null. Give a number: Number() makes one of a text.',
  ],
  [
    'a burst of 2.5',
    of({ burst: 2.5 }),
    'RAIL_BAD_LIMIT',
    'burst of limit "x" is a whole number from 1 to 999999999999999, got 2.5. Round it, or take a longer window: 3 per \'2s\'.',
  ],
  [
    'a bucket past 2^53 - 1',
    of({ tokens: 7, per: '30d', burst: 100_000_000 }),
    'RAIL_BAD_LIMIT',
    'Limit "x" is too large to be counted exactly: burst 100000000 * 2592000000 grains a token passes 2^53 - 1. Lower the burst, or choose tokens and a window with a larger common divisor.',
  ],
  [
    '0 servers',
    () => share(perSecond(10), 0),
    'RAIL_BAD_SHARE',
    'A limit is shared by a whole number of servers from 1, got 0. While the number is not known, use 1.',
  ],
]

const NAMES: readonly Wrong[] = [
  [
    'an empty name',
    of({ name: '' }),
    'RAIL_BAD_LIMIT',
    'A limit\'s name is 1 to 256 characters of printable ASCII (it is sent in a header), got "". Name it like "per_user".',
  ],
  [
    'no name',
    of({ name: undefined }),
    'RAIL_BAD_LIMIT',
    'A limit\'s name is 1 to 256 characters of printable ASCII (it is sent in a header), got undefined. Name it like "per_user".',
  ],
  [
    'a name that is a number',
    of({ name: 7 }),
    'RAIL_BAD_LIMIT',
    'A limit\'s name is 1 to 256 characters of printable ASCII (it is sent in a header), got 7. Name it like "per_user".',
  ],
  [
    'a name that is not ASCII',
    of({ name: 'größe' }),
    'RAIL_BAD_LIMIT',
    'A limit\'s name is 1 to 256 characters of printable ASCII (it is sent in a header), got "größe". Name it like "per_user".',
  ],
  [
    'a name with a line break',
    of({ name: 'a\nb' }),
    'RAIL_BAD_LIMIT',
    'A limit\'s name is 1 to 256 characters of printable ASCII (it is sent in a header), got "a\\nb". Name it like "per_user".',
  ],
  [
    'an emoji as a name',
    of({ name: '😀' }),
    'RAIL_BAD_LIMIT',
    'A limit\'s name is 1 to 256 characters of printable ASCII (it is sent in a header), got "😀". Name it like "per_user".',
  ],
  [
    'a name of 257 characters',
    of({ name: 'x'.repeat(257) }),
    'RAIL_BAD_LIMIT',
    'A limit\'s name is 1 to 256 characters of printable ASCII (it is sent in a header), got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…". Name it like "per_user".',
  ],
  [
    'duplicate names',
    limiter({ limits: [perSecond(1), perSecond(2)] }),
    'RAIL_DUPLICATE_NAME',
    'Two limits of one request are named "per_second" (case does not count). Give one another name, or its charge a scope.',
  ],
  [
    'names that differ in case',
    limiter({ limits: [perSecond(1), perMinute(1, { name: 'PER_SECOND' })] }),
    'RAIL_DUPLICATE_NAME',
    'Two limits of one request are named "PER_SECOND" (case does not count). Give one another name, or its charge a scope.',
  ],
]

const OPTIONS: readonly Wrong[] = [
  [
    'limit()',
    () => limit(undefined as never),
    'RAIL_BAD_LIMIT',
    "limit() takes { name, tokens, per }, got undefined. Write limit({ name: 'calls', tokens: 10, per: '1s' }).",
  ],
  [
    'perSecond(1, 10)',
    () => perSecond(1, 10 as never),
    'RAIL_BAD_LIMIT',
    'The options of per_second are an object, { burst, name, counts }, got 10. Write { burst: 20 }.',
  ],
  [
    'counts of another kind',
    of({ counts: 'tokens' }),
    'RAIL_BAD_LIMIT',
    'counts of limit "x" is \'cost\' or \'requests\', got "tokens". Give one, or leave it out.',
  ],
  [
    'an unknown name in limit()',
    of({ max: 3 }),
    'RAIL_BAD_LIMIT',
    'Unknown "max" in limit(); it takes name, tokens, per, burst, counts. Did you mean "name"?',
  ],
  [
    'a mistyped name in limit()',
    of({ brust: 3 }),
    'RAIL_BAD_LIMIT',
    'Unknown "brust" in limit(); it takes name, tokens, per, burst, counts. Did you mean "burst"?',
  ],
  [
    'an unknown option of perSecond()',
    () => perSecond(1, { tokens: 3 } as object),
    'RAIL_BAD_LIMIT',
    'Unknown "tokens" in the options of per_second; it takes name, burst, counts.',
  ],
  [
    "per: '10 parsecs'",
    of({ per: '10 parsecs' }),
    'RAIL_BAD_DURATION',
    "A duration is text like '10s' (units ms, s, m, h, d) or whole milliseconds from 1, got \"10 parsecs\". Write '10s', '5m' or 60_000.",
  ],
  [
    "per: ''",
    of({ per: '' }),
    'RAIL_BAD_DURATION',
    "A duration is text like '10s' (units ms, s, m, h, d) or whole milliseconds from 1, got \"\". Write '10s', '5m' or 60_000.",
  ],
  [
    'no per',
    of({ per: undefined }),
    'RAIL_BAD_DURATION',
    "A duration is text like '10s' (units ms, s, m, h, d) or whole milliseconds from 1, got undefined. Write '10s', '5m' or 60_000.",
  ],
  [
    'per: 0',
    of({ per: 0 }),
    'RAIL_BAD_DURATION',
    "A duration is text like '10s' (units ms, s, m, h, d) or whole milliseconds from 1, got 0. Write '10s', '5m' or 60_000.",
  ],
  [
    'a duration of 1.5 ms',
    () => durationMs(1.5),
    'RAIL_BAD_DURATION',
    "A duration is text like '10s' (units ms, s, m, h, d) or whole milliseconds from 1, got 1.5. Write '10s', '5m' or 60_000.",
  ],
  [
    'a mistyped option of a limiter',
    limiter({ dryrun: true }),
    'RAIL_UNKNOWN_OPTION',
    `A limiter has no option "dryrun". Did you mean "dryRun"? ${ITS_OPTIONS}`,
  ],
  [
    'an unknown option of a limiter',
    limiter({ max: 10 }),
    'RAIL_UNKNOWN_OPTION',
    `A limiter has no option "max". ${ITS_OPTIONS}`,
  ],
  [
    'no options',
    () => createLimiter(undefined as never),
    'RAIL_BAD_OPTION',
    `A limiter takes an object of options, got undefined. ${ITS_OPTIONS}`,
  ],
]

const RETURNED: readonly Wrong[] = [
  [
    'identify returns undefined',
    request({ identify: () => undefined }),
    'RAIL_NO_IDENTITY',
    'identify(request) returned undefined. Return a key, or null for an anonymous request. (Is the limiter mounted before authentication?)',
  ],
  [
    "identify returns ''",
    request({ identify: () => '' }),
    'RAIL_BAD_KEY',
    'What identify(request) returns is a key, a non-empty text; got "". Give the customer\'s id: a number by String(id).',
  ],
  [
    'identify returns a number',
    request({ identify: () => 7 }),
    'RAIL_BAD_KEY',
    "What identify(request) returns is a key, a non-empty text; got 7. Give the customer's id: a number by String(id).",
  ],
  [
    'limits returns undefined',
    request({ limits: () => undefined }),
    'RAIL_NO_LIMITS',
    "What limits(key, request) returns came to undefined. Return an array of limits; [] says that there is no limit. (A plan's name mistyped?)",
  ],
  [
    'limits returns null',
    request({ limits: () => null }),
    'RAIL_BAD_LIMITS',
    'What limits(key, request) returns is an array of limits, got null. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    'limits returns one limit',
    request({ limits: () => perSecond(1) }),
    'RAIL_BAD_LIMITS',
    'What limits(key, request) returns is an array of limits, got one limit. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    'limits returns numbers',
    request({ limits: () => [10] }),
    'RAIL_BAD_LIMITS',
    'What limits(key, request) returns holds limits, but has 10 in it. Make each by limit() or perSecond().',
  ],
  [
    'cost returns 1.5',
    request({ cost: () => 1.5 }),
    'RAIL_BAD_COST',
    'What cost(request) returns is a whole number of tokens from 0, got 1.5. Round it up: Math.ceil(bytes / 1024).',
  ],
  [
    'cost returns text',
    request({ cost: () => '1' }),
    'RAIL_BAD_COST',
    'What cost(request) returns is a whole number of tokens from 0, got "1". Give a number: Number() makes one of a text.',
  ],
  [
    'cost returns NaN',
    request({ cost: () => Number.NaN }),
    'RAIL_BAD_COST',
    'What cost(request) returns is a whole number of tokens from 0, got NaN. See where it comes from: Number() makes NaN of undefined and of words.',
  ],
  [
    'cost returns -1',
    request({ cost: () => -1 }),
    'RAIL_BAD_COST',
    'What cost(request) returns is a whole number of tokens from 0, got -1. Give 0 for what is free; settle() gives back what was taken too much.',
  ],
  [
    'cost returns Infinity',
    request({ cost: () => Number.POSITIVE_INFINITY }),
    'RAIL_BAD_COST',
    'What cost(request) returns is a whole number of tokens from 0, got Infinity. Lower it: a cost above the burst never fits.',
  ],
  [
    'the clock returns NaN',
    request({ clock: () => Number.NaN }),
    'RAIL_BAD_CLOCK',
    'A clock returns milliseconds, a finite number; it returned NaN. Return them as Date.now does.',
  ],
  [
    'charges returns one charge',
    request({ identify: undefined, limits: undefined, charges: several(() => ({}) as never) }),
    'RAIL_BAD_CHARGES',
    'What charges(request) returns is an array of charges, got an object. Return [{ key, limits, cost }], or [].',
  ],
  [
    'charges returns keys',
    request({ identify: undefined, limits: undefined, charges: several(() => ['acme'] as never) }),
    'RAIL_BAD_CHARGES',
    'A charge is { key, limits, cost } and perhaps scope, got "acme". Return such objects.',
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
    expect(thrown).toMatchObject({ code, message })
  })
})
