import { RailError, shown } from '../base/errors.js'
import { suggestionFor } from '../base/suggestion.js'
import { LARGEST_INTEGER, type Limit } from '../limit/limit.js'
import { sentName } from '../limit/sent-name.js'
import type { OverrideValue, PlanOverride } from './document.js'
import { NAMED_WINDOWS, overriddenLimit, type ScopedLimits } from './plan-limits.js'
import type { PlanProblems } from './problems.js'

/** A checked override: its limit, and when it ends. */
export interface Override {
  /** The override in full. */
  readonly given: PlanOverride
  /** The limit's name as it is sent: its own, with its scope in front if it has one. */
  readonly sent: string
  readonly scope: string
  /** The limit's own name. */
  readonly name: string
  /** Epoch milliseconds; Infinity: never. */
  readonly endsAt: number
}

/** The limits that can be overridden, by their names as sent. */
export type OverrideTargets = ReadonlyMap<string, { readonly scope: string; readonly name: string }>

/** The limits that can be overridden: every limit of every plan, and in every scope the names that contain a window. */
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
            `expected one scope for limits sent as "${sent}", got another in scope ${shown(other.scope)}. Rename one: overrides cannot distinguish them.`,
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

/** Checks a customer's overrides by themselves; {@link overridden} checks them with the plan. */
export function overridesOf(
  problems: PlanProblems,
  path: readonly string[],
  given: unknown,
  targets: OverrideTargets,
): readonly Override[] {
  return problems.pairs(path, given).flatMap(([sent, one]) => {
    const at = [...path, sent]
    const target = targets.get(sent)
    if (target === undefined) {
      const hint = suggestionFor(sent, [...targets.keys()])
      problems.add(
        at,
        `expected the name of a limit as it is sent, got ${shown(sent)}.${hint} Use a name from the plans.`,
      )
      return []
    }
    const full = fullForm(problems, at, one)
    const endsAt = problems.attempt([...at, 'expires'], () => endOf(full?.expires))
    return full === undefined || endsAt === undefined ? [] : [{ given: full, sent, ...target, endsAt }]
  })
}

function fullForm(problems: PlanProblems, path: readonly string[], given: unknown): PlanOverride | undefined {
  const isObject = typeof given === 'object' && given !== null
  if (isObject && !problems.isObject(path, given, OVERRIDE_NAMES, 'an override')) return undefined
  const full = (isObject ? { ...given } : { tokens: given }) as PlanOverride
  const tokensAt = isObject ? [...path, 'tokens'] : path
  if (!isValue(full.tokens)) {
    problems.add(
      tokensAt,
      `expected 'inherit', 'no-limit' or a whole number of 1 or more, got ${shown(full.tokens)}. Write one of these.`,
    )
    return undefined
  }
  if (full.burst !== undefined && !(typeof full.tokens === 'number' && isTokens(full.burst))) {
    problems.add(
      [...path, 'burst'],
      `expected a whole number of 1 or more and a number of tokens, got ${shown(full.burst)} and tokens ${shown(full.tokens)}. Correct it, or leave it out.`,
    )
  }
  for (const name of ['reason', 'author'] as const) {
    const note: unknown = full[name]
    if (note !== undefined && typeof note !== 'string')
      problems.add([...path, name], `expected a string, got ${shown(note)}. Write one, or leave it out.`)
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
const ISO_TIME = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/** `Date.parse` alone reads the 30th of February as the 2nd of March. */
function isIsoTime(text: string): boolean {
  const [, day] = ISO_TIME.exec(text) ?? []
  const midnight = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().slice(0, 10) === day
}

function endOf(expires: unknown): number {
  if (expires === undefined) return Number.POSITIVE_INFINITY
  if (typeof expires === 'number' && Number.isSafeInteger(expires) && expires >= 0) return expires
  const parsed = typeof expires === 'string' && isIsoTime(expires) ? Date.parse(expires) : Number.NaN
  if (!Number.isNaN(parsed)) return parsed
  throw new RailError(
    'RAIL_BAD_PLAN',
    `expected epoch milliseconds or a string such as '2026-12-01T00:00:00Z', got ${shown(expires)}. Write one, or leave it out.`,
  )
}

/** A plan's limits with overrides applied. An override of a limit that the plan does not have may have no effect. */
export function overridden(planned: ScopedLimits, overrides: readonly Override[]): ScopedLimits {
  const byScope = new Map(planned)
  for (const { scope, name, given } of overrides) {
    const { tokens, burst } = given
    if (tokens === 'inherit') continue
    const limits = byScope.get(scope) ?? []
    const at = limits.findIndex((limit) => limit.name === name)
    const made = tokens === 'no-limit' ? undefined : overriddenLimit(limits[at], name, tokens, burst)
    if (made === undefined && tokens !== 'no-limit') continue
    const replacement = made === undefined ? [] : [made]
    byScope.set(scope, at < 0 ? [...limits, ...replacement] : limits.toSpliced(at, 1, ...replacement))
  }
  return byScope
}
