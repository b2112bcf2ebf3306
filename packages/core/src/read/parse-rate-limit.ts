import type { FieldReader } from '../headers/field.js'
import { type Member, parseDictionary, parseList } from '../headers/structured-field.js'
import { boundedWait } from './parse-retry-after.js'
import { bareOf, integerOf, type ParsedLimit, parsedLimit, windowMsOf } from './parsed-limit.js'

/**
 * Reads the field `RateLimit`, with `RateLimit-Policy`, of draft-ietf-httpapi-ratelimit-headers. It is a List since revision
 * 08, and a Dictionary in revision 07. In a List, names may be Strings or Tokens, and `a` may stand for `r` and `w` for `t`: a
 * later revision may use these. A malformed field is ignored as a whole (RFC 9651 section 4.2). An unusable member, or an unknown parameter,
 * is ignored alone.
 */
export function parseRateLimit(read: FieldReader): readonly ParsedLimit[] {
  // Atlassian sends these headers under a name of its own until they are a standard.
  const prefix = read('ratelimit') === undefined ? 'beta-ratelimit' : 'ratelimit'
  const field = read(prefix)
  if (field === undefined) return []
  const policies = parseList(read(`${prefix}-policy`) ?? '') ?? []
  const list = parseList(field)
  return list === undefined ? ofDictionary(field, policies) : ofList(list, policies)
}

/** The window of the policy with this quota: up to revision 07, policies have no names. */
export function windowOfQuota(policies: readonly Member[], quota: number | undefined): number | undefined {
  const policy = policies.find(
    (member) => quota !== undefined && integerOf(bareOf(member)) === quota && hasWindow(member),
  )
  return policy === undefined ? undefined : secondsOf(policy)
}

function ofDictionary(field: string, policies: readonly Member[]): ParsedLimit[] {
  const members = parseDictionary(field)
  const integer = (key: string): number | undefined => {
    const member = members?.get(key)
    return member === undefined ? undefined : integerOf(bareOf(member))
  }
  const remaining = integer('remaining')
  if (remaining === undefined) return []
  const quota = integer('limit')
  return [
    parsedLimit({ quota, windowMs: windowOfQuota(policies, quota), remaining, resetAfterMs: waitOf(integer('reset')) }),
  ]
}

function ofList(list: readonly Member[], policies: readonly Member[]): ParsedLimit[] {
  const policyOf = matcher(policies)
  return list.flatMap((member) => {
    const name = nameOf(member)
    const remaining = parameter(member, 'r') ?? parameter(member, 'a')
    if (name === undefined || remaining === undefined) return []
    const policy = policyOf(name)
    return [
      parsedLimit({
        name,
        quota: policy && parameter(policy, 'q'),
        windowMs: policy && windowMsOf(parameter(policy, 'w')),
        remaining,
        resetAfterMs: waitOf(parameter(member, 't') ?? parameter(member, 'w')),
      }),
    ]
  })
}

/**
 * Finds policies by name. Two limiters on one response may use one name: the second member with a name belongs to the second
 * policy with it. Case is ignored unless a policy matches with it.
 */
function matcher(policies: readonly Member[]): (name: string) => Member | undefined {
  const byName = new Map<string, Member[]>()
  const add = (name: string, policy: Member): void => {
    const namesakes = byName.get(name)
    if (namesakes === undefined) byName.set(name, [policy])
    else namesakes.push(policy)
  }
  for (const policy of policies) {
    const name = nameOf(policy)
    if (name === undefined) continue
    add(`= ${name}`, policy)
    add(`~ ${name.toLowerCase()}`, policy)
  }
  const uses = new Map<string, number>()
  return (name) => {
    const use = uses.get(name) ?? 0
    uses.set(name, use + 1)
    const named = byName.get(`= ${name}`) ?? byName.get(`~ ${name.toLowerCase()}`)
    return named?.[Math.min(use, named.length - 1)]
  }
}

function nameOf(member: Member): string | undefined {
  const item = bareOf(member)
  return item?.type === 'string' || item?.type === 'token' ? item.value : undefined
}

function parameter({ parameters }: Member, key: string): number | undefined {
  return integerOf(parameters.get(key))
}

function waitOf(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : boundedWait(seconds * 1000)
}

/** Envoy's name of the parameter is `window`. */
function secondsOf(policy: Member): number | undefined {
  return windowMsOf(parameter(policy, 'w') ?? parameter(policy, 'window'))
}

function hasWindow(policy: Member): boolean {
  return secondsOf(policy) !== undefined
}
