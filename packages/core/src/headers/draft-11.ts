import { checkOption, checkOptionNames } from '../base/check.js'
import { checkDecision, type Decision, type LimitStatus } from '../bucket/decision.js'
import type { Limit } from '../limit/limit.js'
import { sentName } from '../limit/sent-name.js'
import type { Field } from './field.js'
import { checkStyles, type HeaderStyle, olderFields, windowSeconds } from './older-styles.js'
import { toldWaitOf, wholeSeconds } from './seconds.js'
import { serializeString } from './structured-field.js'

/** How a decision is told. */
export interface HeaderOptions {
  /** A style, several, or `false` for no field. Two styles that write one field differently are an error. @default 'draft-11' */
  readonly headers?: HeaderStyle | readonly HeaderStyle[] | false | undefined
  /** The moment of the decision, in milliseconds since 1970, for `X-RateLimit-Reset`. @default Date.now() */
  readonly epochMs?: number | undefined
}

/**
 * The header fields that tell a client where it stands, in one or several {@link HeaderStyle}s. None for a decision
 * without limits. docs/headers.md shows each style as it is sent.
 *
 * `'draft-11'` is `RateLimit-Policy` and `RateLimit`, a member for each limit, in the order of the decision: `q` is the
 * burst, `w` the seconds in which an empty bucket fills; `r` the tokens left; `t` whole seconds: for a limit that refused
 * the wait for this cost (left out if it can never fit), for another with nothing left the wait for one token, else the
 * time until it is full. The other styles tell the same of the tightest limit: the one that refused with the longest
 * wait, else the one with the fewest tokens left, of equals the first; a cost that can never fit is told the time until
 * full, as they cannot leave it out.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-11 sections 3 and 4; RFC 9651.
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION` for wrong options, and for what is no decision
 */
export function headersFor(decision: Decision, options?: HeaderOptions): Field[] {
  checkDecision(decision, 'headersFor()')
  if (options === undefined) return fieldsFor(decision, DRAFT_11, undefined)
  checkOptionNames(options, ['headers', 'epochMs'], 'headersFor()')
  const { headers = DRAFT_11, epochMs } = options
  checkOption('epochMs', epochMs, 'milliseconds since 1970', isMoment)
  return fieldsFor(decision, checkStyles(headers), epochMs)
}

const DRAFT_11: readonly HeaderStyle[] = ['draft-11']
const isMoment = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(Math.floor(value))

/** As {@link headersFor}, of options that have been checked. */
export function fieldsFor({ limits }: Decision, styles: readonly HeaderStyle[], epochMs: number | undefined): Field[] {
  if (limits.length === 0) return []
  if (styles.length === 1 && styles[0] === 'draft-11') return draft11(limits)
  const fields: Field[] = []
  for (const style of styles) {
    fields.push(...(style === 'draft-11' ? draft11(limits) : olderFields(style, limits, epochMs)))
  }
  return fields
}

function draft11(limits: readonly LimitStatus[]): Field[] {
  const policy = policyOf(limits)
  return [
    { name: 'RateLimit-Policy', value: policy.text, merge: 'list' },
    { name: 'RateLimit', value: stateOf(limits, policy.heads), merge: 'list' },
  ]
}

function stateOf(limits: readonly LimitStatus[], heads: readonly string[]): string {
  let text = ''
  for (let index = 0; index < limits.length; index++) {
    const status = limits[index] as LimitStatus
    const wait = toldWaitOf(status)
    text += `${heads[index]}${status.remaining}`
    if (wait !== Number.POSITIVE_INFINITY) text += `;t=${wholeSeconds(wait)}`
  }
  return text
}

/** What the fields say of the same limits every time. */
interface Policy {
  readonly limits: readonly Limit[]
  readonly scopes: readonly string[]
  readonly text: string
  /** What stands in `RateLimit` before the number of tokens that each limit has left. */
  readonly heads: readonly string[]
}

/** Policies seldom change while states always do, so they are kept, by the first of their limits. */
const policies = new WeakMap<Limit, Policy>()

function policyOf(statuses: readonly LimitStatus[]): Policy {
  const first = (statuses[0] as LimitStatus).limit
  const known = policies.get(first)
  if (known !== undefined && isPolicyOf(known, statuses)) return known
  const names = statuses.map(({ limit, scope }) => serializeString(sentName(scope, limit)))
  const policy: Policy = {
    limits: statuses.map(({ limit }) => limit),
    scopes: statuses.map(({ scope }) => scope),
    text: statuses.map(({ limit }, index) => `${names[index]};q=${limit.burst};w=${windowSeconds(limit)}`).join(', '),
    heads: names.map((name, index) => `${index === 0 ? '' : ', '}${name};r=`),
  }
  policies.set(first, policy)
  return policy
}

function isPolicyOf({ limits, scopes }: Policy, statuses: readonly LimitStatus[]): boolean {
  if (limits.length !== statuses.length) return false
  for (let index = 0; index < statuses.length; index++) {
    const { limit, scope } = statuses[index] as LimitStatus
    if (limits[index] !== limit || scopes[index] !== scope) return false
  }
  return true
}
