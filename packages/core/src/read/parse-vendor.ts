import type { FieldReader } from '../headers/field.js'
import { type Member, parseList } from '../headers/structured-field.js'
import { windowOfQuota } from './parse-rate-limit.js'
import { bareOf, boundedTokens, integerOf, type ParsedLimit, parsedLimit, windowMsOf } from './parsed-limit.js'
import { parseReset } from './reset-value.js'
import { type Family, GENERAL, NAMED } from './vendor-fields.js'

/**
 * Reads the fields in which APIs tell their limits by name or by window, and the three general ones: `RateLimit-Limit`
 * and its like (revisions 00 to 06 of the draft), `X-RateLimit-…` and `X-Rate-Limit-…`, of which the first that is there
 * counts.
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
  // A limit of -1 is none.
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

/** Shopify: `32/40`, what was used of how much. */
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
  const told = jsonObject(read('x-ratelimit'))
  const text = (key: string): string | undefined => textIn(told?.[key])
  const number = (key: string): number | undefined => numberOf(text(key))
  const remaining = number('remaining')
  if (remaining === undefined) return []
  const quota = number('limit')
  return [
    parsedLimit({
      name: typeof told?.name === 'string' ? told.name : undefined,
      quota: quota === undefined ? undefined : boundedTokens(quota),
      windowMs: windowMsOf(number('period')),
      remaining: boundedTokens(remaining),
      resetAfterMs: parseReset(text('until') ?? '', moment),
    }),
  ]
}

function jsonObject(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined || !text.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** A text or a number as text. What an object says of itself as text may throw. */
function textIn(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** Reddit's are fractions; some count below zero. */
function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*-?\d{1,15}(\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}

/** Early revisions of the draft and Envoy tell policies behind the limit: `10, 10;w=1, 1000;window=3600`. */
function limitsIn(text: string | undefined): readonly Member[] | undefined {
  const members = text === undefined ? undefined : parseList(text)
  return members?.[0] === undefined || numberOfItem(members[0]) === undefined ? undefined : members
}

function numberOfItem(member: Member | undefined): number | undefined {
  const item = member === undefined ? undefined : bareOf(member)
  return item?.type === 'integer' || item?.type === 'decimal' ? item.value : undefined
}

/** Envoy names its policies by a parameter. */
function nameOfQuota(limits: readonly Member[] | undefined): string | undefined {
  const quota = numberOfItem(limits?.[0])
  const named = limits?.find((member) => integerOf(bareOf(member)) === quota && member.parameters.has('name'))
  const name = named?.parameters.get('name')
  return name?.type === 'string' ? name.value : undefined
}

function nameIn(text: string | undefined): string | undefined {
  const name = text?.trim()
  return name === undefined || name === '' ? undefined : name
}

function windowOf({ window }: Family, read: FieldReader): number | undefined {
  if (window === undefined || typeof window === 'number') return windowMsOf(window)
  const told = numberOf(read(window[0]))
  return told === undefined ? undefined : windowMsOf(told / window[1])
}

function first<T>(names: readonly string[] | undefined, readable: (name: string) => T | undefined): T | undefined {
  for (const name of names ?? []) {
    const value = readable(name)
    if (value !== undefined) return value
  }
  return undefined
}
