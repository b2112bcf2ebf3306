import { type Charge, limit, perDay, perMinute, perSecond } from '@rail/core'
import { charge, equal, leftOf, lives, type StoreCheck, shows } from './tools.js'

const two = perSecond(2)

/** Strings that run together or change in stores that join, cut or normalise them. */
const HOSTILE: readonly string[] = [
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '0',
    '-0',
    '00',
    '1e3',
    'null',
    'undefined',
    'NaN',
    'true',
  ],
  ...[
    ' ',
    '  ',
    '\t',
    'a',
    'A',
    ' a',
    'a ',
    'a\n',
    'a\r\n',
    '\n',
    '\r',
    '\0',
    'a\0',
    'a\0b',
    '\u2028',
    '\ufeff',
    '\ufeffa',
  ],
  ...['{', '}', '{}', '{a}', '{a', 'a}', '{a}b', '{{a}}', '[a]', '"', '""', "'", '\\', '\\\\', '\\n', '%', '%0a', '%s'],
  ...[':', '::', 'a:b', 'a:b:c', 'a|b', 'a,b', 'a b', 'a;b', '*', '?', '[a-z]', '/', '../', '#', '$1', '$&'],
  ...[
    'é',
    'e\u0301',
    'ﬁ',
    'fi',
    'ß',
    'ẞ',
    'ss',
    'İ',
    'i',
    'ı',
    '😀',
    '👩‍👩‍👧',
    '😀😀',
    '日本語',
    'ÿ',
    'Ā',
    '\u00ff\u00ff',
  ],
  ...['\ud83d', '\ude00', '\ude00\ud83d', '\ud83da', '\ud800', '\udfff', '\ufffd', '\ufffd\ufffd', '\ufffe', '\uffff'],
  ...[8, 64, 256, 1_024, 10_240].flatMap((length) => [
    'x'.repeat(length),
    `${'x'.repeat(length - 1)}y`,
    'é'.repeat(length),
  ]),
  ...[`y${'x'.repeat(10_239)}`, `${'x'.repeat(5_000)}y${'x'.repeat(5_239)}`],
]

/** Which bucket is charged: by scope, key and name. Scopes and keys are any strings. */
export const APART: readonly StoreCheck[] = [
  {
    name: 'one key has a bucket of its own in each scope, and a charge without a scope is in the scope ""',
    check: async (store) => {
      await lives(store, charge(two), [{ now: 0, cost: 2, allowed: true, left: [0] }])
      await lives(store, charge(two, { scope: 'writes' }), [{ now: 0, allowed: true, left: [1] }])
      await lives(store, charge(two, { scope: '' }), [{ now: 0, allowed: false, left: [0] }])
      await lives(store, charge(two, { scope: undefined }), [{ now: 0, allowed: false, left: [0] }])
      await lives(store, charge(two, { scope: 'undefined' }), [{ now: 0, allowed: true, left: [1] }])
    },
  },
  {
    name: 'one key has a bucket of its own for each name of a limit',
    check: async (store) => {
      await lives(store, charge(two), [{ now: 0, cost: 2, allowed: true, left: [0] }])
      await lives(store, charge(perSecond(2, { name: 'other' })), [{ now: 0, allowed: true, left: [1] }])
      await lives(store, charge(perSecond(2, { name: 'Per_Second' })), [{ now: 0, allowed: true, left: [1] }])
      await lives(store, charge(two), [{ now: 0, allowed: false, left: [0] }])
    },
  },
  {
    name: 'customers are counted apart',
    check: async (store) => {
      await lives(store, charge(two, { key: 'a' }), [{ now: 0, cost: 2, allowed: true, left: [0] }])
      await lives(store, charge(two, { key: 'b' }), [{ now: 0, allowed: true, left: [1] }])
      await lives(store, charge(two, { key: 'a' }), [{ now: 0, allowed: false, left: [0] }])
    },
  },
  {
    name: 'any string but "" is a key of its own: __proto__, 10 kB, braces, newlines, emoji, lone surrogates',
    check: async (store) => {
      equal(new Set(HOSTILE).size, HOSTILE.length, 'different strings')
      for (const key of HOSTILE) await expectFresh(store, charge(two, { key }), key)
      for (const key of HOSTILE) {
        const { allowed, limits } = await store.take([charge(two, { key })], 0)
        equal(
          [allowed, limits[0]?.remaining, limits[0]?.key],
          [true, 0, key],
          `the second request of ${JSON.stringify(key)}`,
        )
      }
    },
  },
  {
    name: 'any string is a scope of its own',
    check: async (store) => {
      for (const scope of HOSTILE) await expectFresh(store, charge(two, { scope }), scope)
      for (const scope of HOSTILE) {
        const { limits } = await store.take([charge(two, { scope })], 0)
        equal([limits[0]?.remaining, limits[0]?.scope], [0, scope], `the second request in ${JSON.stringify(scope)}`)
      }
    },
  },
  {
    name: 'a scope, a key and a name are never run together',
    check: async (store) => {
      for (const separator of [':', '|', '/', '.', ',', ' ', '\0', '\n', '}', '{', '"', '\\', '","', '}:']) {
        const strings = ['a', `a${separator}`, `${separator}a`, `a${separator}a`, separator]
        const charges = strings.flatMap((scope) => strings.map((key) => charge(two, { scope, key })))
        for (const each of charges) await expectFresh(store, each, `${each.scope} and ${each.key}`)
        for (const each of charges) await store.reset(each.key, each.scope)
      }
      const [long, short] = [perSecond(2, { name: 'b:c' }), perSecond(2, { name: 'c' })]
      await expectFresh(store, charge(long, { key: 'run' }), 'run and b:c')
      await expectFresh(store, charge(short, { key: 'run:b' }), 'run:b and c')
    },
  },
  {
    name: "a limit may have any name of printable ASCII, an object property's too",
    check: async (store) => {
      const names = [
        'at',
        'owed',
        'key',
        'scope',
        'now',
        '__proto__',
        'constructor',
        'length',
        '0',
        '1',
        ' ',
        '"',
        '{x}',
        'a:b',
        '\\',
      ]
      const limits = names.map((name) => perSecond(9, { name }))
      for (const left of [8, 7])
        equal(
          leftOf(await store.take([charge(limits)], 0)),
          names.map(() => left),
          'left',
        )
      await shows(store, charge(limits.toReversed()), [{ now: 0, cost: 0, allowed: true, left: names.map(() => 7) }])
    },
  },
  {
    name: 'customers whose limits differ in number and names are counted apart on one store, in any order',
    check: async (store) => {
      const customers = Array.from({ length: 40 }, (_, index) => {
        const names = Array.from({ length: 1 + (index % 10) }, (_, place) => `limit_${index % 20}_${place}`)
        return charge(
          names.map((name, place) => perMinute(1 + index + place, { name })),
          { key: `customer ${index}` },
        )
      })
      for (let round = 1; round <= 45; round++) {
        for (const customer of round % 2 === 0 ? customers : customers.toReversed()) {
          const bursts = customer.limits.map((each) => each.burst)
          const taken = Math.min(round, ...bursts)
          const { allowed, limits } = await store.take([customer], 0)
          equal(
            [allowed, limits.map((status) => status.remaining)],
            [round <= Math.min(...bursts), bursts.map((burst) => burst - taken)],
            `round ${round} of ${customer.key}`,
          )
        }
      }
    },
  },
  {
    name: 'limits of very different sizes keep their own pace under one key',
    check: (store) =>
      lives(store, charge([perSecond(3), perDay(999_983), limit({ name: 'rare', tokens: 4, per: '30d' })]), [
        { now: 0, cost: 3, allowed: true, left: [0, 999_980, 1], full: [1_000, 260, 1_944_000_000] },
        { now: 1_000, cost: 1, allowed: true, left: [2, 999_982, 0], full: [334, 87, 2_591_999_000] },
        { now: 2_000, cost: 1, allowed: false, left: [3, 999_983, 0], wait: 647_998_000, full: [0, 0, 2_591_998_000] },
      ]),
  },
]

async function expectFresh(
  store: { take: import('@rail/core').Store['take'] },
  request: Charge,
  what: string,
): Promise<void> {
  equal(leftOf(await store.take([request], 0)), [1], `the first request of ${JSON.stringify(what.slice(0, 99))}`)
}
