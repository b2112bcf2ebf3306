import { RailError, shown } from '../base/errors.js'
import { suggestionFor } from '../base/suggestion.js'
import { LARGEST_INTEGER, type Limit } from '../limit/limit.js'
import { sentName } from '../limit/sent-name.js'
import type { OverrideValue, PlanOverride } from './document.js'
import { NAMED_WINDOWS, overriddenLimit, type ScopedLimits } from './plan-limits.js'
import type { PlanProblems } from './problems.js'

/** An override that has been checked: which limit it is about, and until when it holds. */
export interface Override {
  /** What was said, in full. */
  readonly said: PlanOverride
  /** The limit's name as it is sent: its own, after its scope if it has one. */
  readonly sent: string
  readonly scope: string
  /** The limit's own name. */
  readonly name: string
  /** Epoch milliseconds; Infinity: it does not end. */
  readonly endsAt: number
}

/** The limits that overrides may be about, by their names as sent. */
export type OverrideTargets = ReadonlyMap<string, { readonly scope: string; readonly name: string }>

/** What overrides may be about: every limit of every plan, and in every scope the names that say their window. */
export function overrideTargets(problems: PlanProblems, plans: ReadonlyMap<string, ScopedLimits>): OverrideTargets {
  const targets = new Map<string, { scope: string; name: string }>()
  const scopes = new Set([''])
  for (const [plan, byScope] of plans) {
    for (const [scope, limits] of byScope) {
      scopes.add(scope)
      for (const limit of limits) {
        const sent = sentName(scope, limit)
        const other = targets.get(sent)
        if (other !== undefined && other.scope !== scope) {
          const path = scope === '' ? ['plans', plan, 'limits'] : ['plans', plan, 'scopes', scope]
          problems.add(
            [...path, limit.name],
            `"${sent}" is a limit in scope ${shown(other.scope)} elsewhere; rename one, or overrides cannot tell them apart.`,
          )
        }
        targets.set(sent, { scope, name: limit.name })
      }
    }
  }
  for (const scope of scopes) {
    for (const name of NAMED_WINDOWS.keys()) {
      const sent = sentName(scope, { name } as Limit)
      if (!targets.has(sent)) targets.set(sent, { scope, name })
    }
  }
  return targets
}

/** A customer's overrides, checked, but for what they would make of the plan (see {@link overridden}). */
export function overridesOf(
  problems: PlanProblems,
  path: readonly string[],
  said: unknown,
  targets: OverrideTargets,
): readonly Override[] {
  return problems.pairs(path, said, 'Overrides').flatMap(([sent, one]) => {
    const at = [...path, sent]
    const target = targets.get(sent)
    if (target === undefined) {
      const hint = suggestionFor(sent, [...targets.keys()])
      problems.add(at, `No plan has a limit "${sent}".${hint} An override is named as its limit is sent.`)
      return []
    }
    const full = fullForm(problems, at, one)
    const endsAt = problems.attempt([...at, 'expires'], () => endOf(full?.expires))
    return full === undefined || endsAt === undefined ? [] : [{ said: full, sent, ...target, endsAt }]
  })
}

function fullForm(problems: PlanProblems, path: readonly string[], said: unknown): PlanOverride | undefined {
  const isObject = typeof said === 'object' && said !== null
  if (isObject && !problems.isObject(path, said, OVERRIDE_NAMES, 'An override')) return undefined
  const full = (isObject ? { ...said } : { tokens: said }) as PlanOverride
  const tokensAt = isObject ? [...path, 'tokens'] : path
  if (!isValue(full.tokens)) {
    problems.add(
      tokensAt,
      `An override is 'inherit', 'no-limit' or a whole number of tokens from 1, got ${shown(full.tokens)}. Write one of these.`,
    )
    return undefined
  }
  if (full.burst !== undefined && !(typeof full.tokens === 'number' && isTokens(full.burst))) {
    problems.add(
      [...path, 'burst'],
      `burst is a whole number from 1, beside a number of tokens; got ${shown(full.burst)} beside ${shown(full.tokens)}. Correct it, or leave it out.`,
    )
  }
  for (const name of ['reason', 'author'] as const) {
    const text: unknown = full[name]
    if (text !== undefined && typeof text !== 'string')
      problems.add([...path, name], `${name} is a text, got ${shown(text)}. Write one, or leave it out.`)
  }
  return full
}

const OVERRIDE_NAMES = ['tokens', 'burst', 'expires', 'reason', 'author']

function isValue(value: unknown): value is OverrideValue {
  return value === 'inherit' || value === 'no-limit' || isTokens(value)
}

function isTokens(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= LARGEST_INTEGER
}

/** RFC 3339 section 5.6, in capitals. */
const ISO_TEXT = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/** `Date.parse` alone takes the 30th of February for the 2nd of March. */
function isIsoText(text: string): boolean {
  const [, day] = ISO_TEXT.exec(text) ?? []
  const midnight = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().slice(0, 10) === day
}

function endOf(expires: unknown): number {
  if (expires === undefined) return Number.POSITIVE_INFINITY
  if (typeof expires === 'number' && Number.isSafeInteger(expires) && expires >= 0) return expires
  const parsed = typeof expires === 'string' && isIsoText(expires) ? Date.parse(expires) : Number.NaN
  if (!Number.isNaN(parsed)) return parsed
  throw new RailError(
    'RAIL_BAD_PLAN',
    `expires is epoch milliseconds or a text like '2026-12-01T00:00:00Z', got ${shown(expires)}. Write one, or leave it out.`,
  )
}

/** What overrides make of a plan's limits. An override of a limit that this plan does not have may do nothing. */
export function overridden(planned: ScopedLimits, overrides: readonly Override[]): ScopedLimits {
  const byScope = new Map(planned)
  for (const { scope, name, said } of overrides) {
    const { tokens, burst } = said
    if (tokens === 'inherit') continue
    const limits = byScope.get(scope) ?? []
    const at = limits.findIndex((limit) => limit.name === name)
    const made = tokens === 'no-limit' ? undefined : overriddenLimit(limits[at], name, tokens, burst)
    if (made === undefined && tokens !== 'no-limit') continue
    const instead = made === undefined ? [] : [made]
    byScope.set(scope, at < 0 ? [...limits, ...instead] : limits.toSpliced(at, 1, ...instead))
  }
  return byScope
}
