import type { FieldReader } from '../headers/field.js'
import { type Member, parseList } from '../headers/structured-field.js'
import { windowOfQuota } from './parse-rate-limit.js'
import { bareOf, boundedTokens, integerOf, type ParsedLimit, parsedLimit, windowMsOf } from './parsed-limit.js'
import { parseReset } from './reset-value.js'
import { type Family, GENERAL, NAMED } from './vendor-fields.js'

/**
 * Reads the headers in which APIs send limits with a name or a window, and the first of three general families. These are
 * `RateLimit-Limit` and its siblings (revisions 00 to 06 of the draft), `X-RateLimit-…` and `X-Rate-Limit-…`.
 */
export function parseVendor(read: FieldReader, moment: () => number): readonly ParsedLimit[] {
  const limitsOf = (family: Family): readonly ParsedLimit[] => ofFamily(family, read, moment)
  const general = GENERAL.map(limitsOf).find((limits) => limits.length > 0) ?? []
  return [
    ...NAMED.flatMap(limitsOf),
    ...ofShopify(read),
    ...ofZendesk(read, moment),
    ...ofBasecamp(read, moment),
    ...general,
  ]
}

function ofFamily(family: Family, read: FieldReader, moment: () => number): ParsedLimit[] {
  const left = numberOf(read(family.remaining))
  if (left === undefined || (left < 0 && family.negative === 'unknown')) return []
  const limits = first(family.limit, (name) => limitsIn(read(name)))
  const quota = limits === undefined ? undefined : numberOfItem(limits[0])
  // A limit of -1 means no limit.
  if (quota !== undefined && quota < 0) return []
  const policies = [...(limits ?? []), ...(parseList(read('ratelimit-policy') ?? '') ?? [])]
  return [
    parsedLimit({
      name:
        typeof family.name === 'string'
          ? family.name
          : (first(family.name, (name) => nameIn(read(name))) ?? nameOfQuota(limits)),
      quota: quota === undefined ? undefined : boundedTokens(quota),
      windowMs: windowOf(family, read) ?? windowOfQuota(policies, quota),
      remaining: boundedTokens(left),
      resetAfterMs: first(family.reset, (name) => parseReset(read(name) ?? '', moment)),
    }),
  ]
}

/** Shopify: `32/40`, the used tokens and the quota. */
function ofShopify(read: FieldReader): ParsedLimit[] {
  const [, used, quota] = /^\s*(\d{1,15})\/(\d{1,15})\s*$/.exec(read('x-shopify-shop-api-call-limit') ?? '') ?? []
  if (quota === undefined) return []
  return [parsedLimit({ quota: Number(quota), remaining: boundedTokens(Number(quota) - Number(used)) })]
}

/** Zendesk, for one of its endpoints: `total=100; remaining=99; resets=41`. */
function ofZendesk(read: FieldReader, moment: () => number): ParsedLimit[] {
  const pairs = (read('zendesk-ratelimit-tickets-index') ?? '').split(';').map((pair) => pair.trim().split('='))
  const value = (key: string): string | undefined => pairs.find(([name]) => name === key)?.[1]
  const remaining = numberOf(value('remaining'))
  if (remaining === undefined) return []
  const quota = numberOf(value('total'))
  return [
    parsedLimit({
      name: 'tickets-index',
      quota: quota === undefined ? undefined : boundedTokens(quota),
      remaining: boundedTokens(remaining),
      resetAfterMs: parseReset(value('resets') ?? '', moment),
    }),
  ]
}

/** Basecamp: a JSON object. */
function ofBasecamp(read: FieldReader, moment: () => number): ParsedLimit[] {
  const object = jsonObject(read('x-ratelimit'))
  const value = (key: string): string | undefined => stringIn(object?.[key])
  const number = (key: string): number | undefined => numberOf(value(key))
  const remaining = number('remaining')
  if (remaining === undefined) return []
  const quota = number('limit')
  return [
    parsedLimit({
      name: typeof object?.name === 'string' ? object.name : undefined,
      quota: quota === undefined ? undefined : boundedTokens(quota),
      windowMs: windowMsOf(number('period')),
      remaining: boundedTokens(remaining),
      resetAfterMs: parseReset(value('until') ?? '', moment),
    }),
  ]
}

function jsonObject(value: string | undefined): Record<string, unknown> | undefined {
  if (value === undefined || !value.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(value) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** A string, or a number as a string. Anything else is ignored: the `toString` of an object may throw. */
function stringIn(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** Reddit sends fractions; some APIs send negative numbers. */
function numberOf(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*-?\d{1,15}(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}

/** Early revisions of the draft, and Envoy, send policies after the limit: `10, 10;w=1, 1000;window=3600`. */
function limitsIn(value: string | undefined): readonly Member[] | undefined {
  const members = value === undefined ? undefined : parseList(value)
  return members?.[0] === undefined || numberOfItem(members[0]) === undefined ? undefined : members
}

function numberOfItem(member: Member | undefined): number | undefined {
  const item = member === undefined ? undefined : bareOf(member)
  return item?.type === 'integer' || item?.type === 'decimal' ? item.value : undefined
}

/** Envoy sends the name of a policy as a parameter. */
function nameOfQuota(limits: readonly Member[] | undefined): string | undefined {
  const quota = numberOfItem(limits?.[0])
  const named = limits?.find((member) => integerOf(bareOf(member)) === quota && member.parameters.has('name'))
  const name = named?.parameters.get('name')
  return name?.type === 'string' ? name.value : undefined
}

function nameIn(value: string | undefined): string | undefined {
  const name = value?.trim()
  return name === undefined || name === '' ? undefined : name
}

function windowOf({ window }: Family, read: FieldReader): number | undefined {
  if (window === undefined || typeof window === 'number') return windowMsOf(window)
  const [header, unitsPerSecond] = window
  const units = numberOf(read(header))
  return units === undefined ? undefined : windowMsOf(units / unitsPerSecond)
}

function first<T>(names: readonly string[] | undefined, readable: (name: string) => T | undefined): T | undefined {
  for (const name of names ?? []) {
    const value = readable(name)
    if (value !== undefined) return value
  }
  return undefined
}
