import { addressKey, type Clock, type Limit, manualClock, perMinute, type Store } from '@rail/core'
import { type Context, Hono } from 'hono'
import { rateLimit } from '../src/index.js'

/** What may be put in place of a part, to show that its fault would be seen. */
export interface Parts {
  readonly customerOf?: (text: string) => string
  readonly addressOf?: (text: string) => string
  readonly store?: Store
  readonly skip?: (c: Context) => boolean
}

/** An app whose customers and addresses may each do one request a minute. Time stands still. */
export function oneEach({ customerOf = same, addressOf = keyOfAddress, store, skip }: Parts = {}): Hono {
  const limits: readonly Limit[] = [perMinute(1)]
  const clock: Clock = manualClock()
  const app = new Hono()
  // As authentication does: who names no customer is answered before the limiter.
  app.use('/customer', async (c, next) => (c.req.header('x-customer') ? next() : c.text('who?', 401)))
  const identify = (c: Context): string => customerOf(c.req.header('x-customer') ?? '')
  app.use('/customer', rateLimit({ identify, limits, clock, store, skip }))
  const from = (c: Context): string => addressOf(c.req.header('x-forwarded-for') ?? '')
  app.use('/address', rateLimit({ identify: from, limits, clock, store, skip, scope: 'address' }))
  app.all('*', (c) => c.text('ok'))
  app.onError((error, c) => c.text(error.message, 500))
  return app
}

function same(text: string): string {
  return text
}

/** What is no address is counted as one of its own, as docs/errors.md asks one to decide. */
function keyOfAddress(text: string): string {
  try {
    return addressKey(text)
  } catch {
    return 'address:none'
  }
}

/**
 * What is wrong with the answers to so many cases. In each somebody asks once, which may be their first time, and then
 * again, with hostile fields of every kind, by another method, an address perhaps in another spelling: that is refused.
 */
export async function faultsOf(app: Hono, cases: number, seed: number): Promise<string[]> {
  const random = randomNumbers(seed)
  const seen = new Set<string>()
  const faults: string[] = []
  for (let index = 0; index < cases && faults.length === 0; index++) {
    const [path, field, first, again] = oneOf([customerCase, addressCase], random)(random)
    const was = await app.request(path, { headers: new Headers([...noise(random), [field, first]]) })
    const method = oneOf(['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE'], random)
    const is = await app.request(path, { method, headers: new Headers([...noise(random), [field, again]]) })
    const fault = (what: string): number => faults.push(`case ${index} ${JSON.stringify(first)}: ${what}`)
    const nobody = path === '/customer' && trimmed(first) === ''
    const known = path === '/customer' && seen.has(trimmed(first))
    seen.add(path === '/customer' ? trimmed(first) : '')
    if (nobody ? was.status !== 401 : known ? was.status !== 429 : was.status !== 200 && path === '/customer')
      fault(`first ${was.status}`)
    if (was.status >= 500) fault(`first ${was.status}`)
    if (is.status !== (nobody ? 401 : 429)) fault(`again ${is.status}`)
    if (!nobody && is.headers.get('Retry-After') !== '60') fault(`Retry-After ${is.headers.get('Retry-After')}`)
  }
  return faults
}

type Case = readonly [path: string, field: string, first: string, again: string]
type Random = (bound: number) => number

function customerCase(random: Random): Case {
  const key = oneOf(
    [() => oneOf(WORDS, random), () => text(random, random(60)), () => text(random, 10_000)],
    (bound) => (random(40) === 0 ? 2 : random(bound - 1)),
  )()
  return ['/customer', 'x-customer', key, key]
}

function addressCase(random: Random): Case {
  const v4 = Array.from({ length: 4 }, () => random(256)).join('.')
  const groups = [0x2001, 0xdb8, random(65_536), random(65_536)].map((group) => group.toString(16)).join(':')
  const none = [
    `${v4}${text(random, 5)},`,
    `${text(random, 12)}!`,
    ':'.repeat(random(40)),
    `${v4}.${random(9)}`,
    '0x7f.1',
  ]
  const spellings = oneOf(
    [
      [v4, `::ffff:${v4}`, `::FFFF:${v4}`, `[::ffff:${v4}]:443`, `${v4}:80`],
      [`${groups}::1`, `${groups}::2%eth0`, `[${groups}:0:0:0:3]:8080`, `${groups.toUpperCase()}::4`],
      [oneOf(none, random)],
    ],
    random,
  )
  return ['/address', 'x-forwarded-for', oneOf(spellings, random), oneOf(spellings, random)]
}

/** Fields that mean something to somebody: to a proxy, a client, a framework, or to us when a server sends them. */
function noise(random: Random): [string, string][] {
  const names = Array.from({ length: random(4) }, () => oneOf(FIELDS, random))
  return names.map((name) => [name, random(3) === 0 ? oneOf(WORDS, random) : text(random, random(80))])
}

const FIELDS = [
  ...[
    'RateLimit',
    'RateLimit-Policy',
    'X-RateLimit-Remaining',
    'Retry-After',
    'Cache-Control',
    'X-Real-IP',
    'Forwarded',
  ],
  ...['X-HTTP-Method-Override', 'Authorization', 'Cookie', 'Range', 'If-None-Match', 'Access-Control-Request-Method'],
  ...['Origin', 'X-Original-URL', 'Age', 'Via', 'Upgrade-Insecure-Requests', 'X-Request-Id', 'Accept', 'Content-Type'],
]
const WORDS = [
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'null',
    'undefined',
    'NaN',
    '0',
    '-1',
    '1e999',
    '%',
    '%00',
  ],
  ...[
    '%E0%A4%A',
    '"per_minute";r=999',
    '{}',
    '[]',
    '*',
    '../..',
    "' or 1=1 --",
    'acme',
    'ACME',
    'é',
    'ÿ',
    '\u0080',
    ' ',
  ],
]

/** What a field's value may be made of: visible ASCII, spaces, tabs and the bytes above. */
function text(random: Random, length: number): string {
  const code = (): number => oneOf([9, 32, 33 + random(94), 33 + random(94), 128 + random(128)], random)
  return String.fromCharCode(...Array.from({ length }, code))
}

/** As Headers reads a value: without the blanks around it. */
function trimmed(value: string): string {
  return value.replace(/^[\t ]+|[\t ]+$/g, '')
}

function oneOf<T>(values: readonly T[], random: Random): T {
  return values[random(values.length)] as T
}

/** Whole numbers from 0 to below `bound`, the same for the same seed (G. Marsaglia, "Xorshift RNGs", 2003). */
function randomNumbers(seed: number): Random {
  let state = seed | 0
  return (bound) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % bound
  }
}
