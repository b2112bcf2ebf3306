import type { ScenarioName } from '../scenarios/scenarios.js'
import { randomFrom } from './check.js'

/** Somebody who asks once, and then again as whom a limiter must know: by the same bytes, or the same address written otherwise. */
export interface HostileCase {
  readonly scenario: ScenarioName
  /** Whether nobody has asked under this key before. */
  readonly isNew: boolean
  readonly first: HostileRequest
  readonly again: HostileRequest
}

/** See {@link HostileCase}. */
export interface HostileRequest {
  readonly path: '/'
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
}

type Random = (below: number) => number

/** So many cases, the same for the same seed, each with fields beside it that mean something to somebody. */
export function hostileCases(count: number, seed: number): HostileCase[] {
  const random = randomFrom(seed)
  const seen = new Set<string>()
  return Array.from({ length: count }, (): HostileCase => {
    const { scenario, field, key, spellings } = random(2) === 0 ? customer(random) : address(random)
    const isNew = !seen.has(`${scenario} ${key}`)
    seen.add(`${scenario} ${key}`)
    const ask = (methods: readonly string[]): HostileRequest => ({
      path: '/',
      method: oneOf(methods, random),
      headers: { ...noise(random), [field]: oneOf(spellings, random) },
    })
    return { scenario, isNew, first: ask(['GET']), again: ask(['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']) }
  })
}

interface Someone {
  readonly scenario: ScenarioName
  readonly field: string
  /** As a limiter must know it. */
  readonly key: string
  readonly spellings: readonly string[]
}

function customer(random: Random): Someone {
  const makers = [() => oneOf(WORDS, random), () => text(random, 1 + random(60)), () => text(random, 10_000)]
  // The long ones are dear.
  const key = (makers[random(40) === 0 ? 2 : random(2)] as () => string)()
  return { scenario: 'raw-keys', field: 'x-customer', key, spellings: [key] }
}

function address(random: Random): Someone {
  const v4 = Array.from({ length: 4 }, () => random(256)).join('.')
  const v6 = [0x2001, 0xdb8, random(65_536), random(65_536)].map((group) => group.toString(16)).join(':')
  const kinds: readonly { key: string; spellings: readonly string[] }[] = [
    { key: v4, spellings: [v4, `::ffff:${v4}`, `::FFFF:${v4}`, `[::ffff:${v4}]:443`, `${v4}:80`] },
    {
      key: v6,
      spellings: [`${v6}::1`, `${v6}::2%eth0`, `[${v6}:0:0:0:3]:8080`, `${v6.toUpperCase()}::4`],
    },
    {
      key: 'none',
      spellings: [
        `${v4}${text(random, 5)},`,
        `${text(random, 12)}!`,
        ':'.repeat(3 + random(40)),
        `${v4}.${random(9)}`,
        '0x7f.1',
      ],
    },
  ]
  return { scenario: 'raw-addresses', field: 'x-address', ...oneOf(kinds, random) }
}

/** Fields that mean something to somebody: to a proxy, a client, a framework, or to us when a server sends them. */
function noise(random: Random): Record<string, string> {
  const names = Array.from({ length: random(4) }, () => oneOf(FIELDS, random))
  return Object.fromEntries(names.map((name) => [name, random(3) === 0 ? oneOf(WORDS, random) : text(random, 40)]))
}

const FIELDS =
  'RateLimit RateLimit-Policy X-RateLimit-Limit X-RateLimit-Remaining Retry-After Cache-Control X-Real-IP Forwarded X-Forwarded-For X-HTTP-Method-Override Authorization Cookie Range If-None-Match Access-Control-Request-Method Origin X-Original-URL Age Via Upgrade-Insecure-Requests X-Request-Id Accept Accept-Encoding'.split(
    ' ',
  )

const WORDS =
  '__proto__ constructor toString hasOwnProperty null undefined NaN 0 -1 1e999 % %00 %E0%A4%A "per_minute";r=999 {} [] * ../.. \'or\'1=1-- acme ACME é ÿ \u0080 \u00a0'.split(
    ' ',
  )

/** What a field's value may be made of (RFC 9110 section 5.5), without the blanks around it, which are none of it. */
function text(random: Random, length: number): string {
  const visible = (): number => oneOf([33 + random(94), 33 + random(94), 128 + random(128)], random)
  const inner = (): number => oneOf([9, 32, visible(), visible(), visible()], random)
  const codes = Array.from({ length }, (_, index) => (index === 0 || index === length - 1 ? visible() : inner()))
  return String.fromCharCode(...codes)
}

function oneOf<T>(values: readonly T[], random: Random): T {
  return values[random(values.length)] as T
}
