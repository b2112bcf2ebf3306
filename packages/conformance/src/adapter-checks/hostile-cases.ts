import type { ScenarioName } from '../scenarios/scenarios.js'
import { randomFrom } from './check.js'

/** Two requests of one customer: with the same bytes as key, or with one address in two notations. */
export interface HostileCase {
  readonly scenario: ScenarioName
  /** Whether no earlier case had this key. */
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

/** Cases that are the same for the same seed, each with headers beside the key that other software reads. */
export function hostileCases(count: number, seed: number): HostileCase[] {
  const random = randomFrom(seed)
  const seen = new Set<string>()
  return Array.from({ length: count }, (): HostileCase => {
    const { scenario, field, key, spellings } = random(2) === 0 ? customer(random) : address(random)
    const isNew = !seen.has(`${scenario} ${key}`)
    seen.add(`${scenario} ${key}`)
    const request = (methods: readonly string[]): HostileRequest => ({
      path: '/',
      method: oneOf(methods, random),
      headers: { ...noise(random), [field]: oneOf(spellings, random) },
    })
    return { scenario, isNew, first: request(['GET']), again: request(['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']) }
  })
}

interface Someone {
  readonly scenario: ScenarioName
  readonly field: string
  /** The customer's name to a limiter. */
  readonly key: string
  readonly spellings: readonly string[]
}

function customer(random: Random): Someone {
  const makers = [() => oneOf(WORDS, random), () => text(random, 1 + random(60)), () => text(random, 10_000)]
  // The long ones take long to make.
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

/** Headers that a proxy, a client, a framework or Rail reads. */
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

/** A random value of a field (RFC 9110 section 5.5). It has no blanks around it, which would not be part of it. */
function text(random: Random, length: number): string {
  const visible = (): number => oneOf([33 + random(94), 33 + random(94), 128 + random(128)], random)
  const inner = (): number => oneOf([9, 32, visible(), visible(), visible()], random)
  const codes = Array.from({ length }, (_, index) => (index === 0 || index === length - 1 ? visible() : inner()))
  return String.fromCharCode(...codes)
}

function oneOf<T>(values: readonly T[], random: Random): T {
  return values[random(values.length)] as T
}
