import { RailError, shown } from '../base/errors.js'
import { suggestionFor } from '../base/suggestion.js'
import { durationMs } from '../limit/duration.js'
import { fieldBytes, MOST_FIELD_BYTES } from '../limit/field-size.js'
import { type Limit, limit } from '../limit/limit.js'
import { sentName } from '../limit/sent-name.js'
import type { PlanLimit } from './document.js'
import type { PlanProblems } from './problems.js'

/** The limits of a plan by scope; those of `''` apply to every request. */
export type ScopedLimits = ReadonlyMap<string, readonly Limit[]>

/** The names that contain their window, and the window in milliseconds. */
export const NAMED_WINDOWS: ReadonlyMap<string, number> = new Map([
  ['per_second', 1_000],
  ['per_minute', 60_000],
  ['per_hour', 3_600_000],
  ['per_day', 86_400_000],
])

// Marked as pure, so that a bundle without plans can leave it out.
const NAMES = /* @__PURE__ */ namesOf(NAMED_WINDOWS)

/** Makes and checks the limits of one plan. */
export function planLimits(problems: PlanProblems, path: readonly string[], given: unknown): ScopedLimits {
  const byScope = new Map<string, readonly Limit[]>([['', []]])
  if (!problems.isObject(path, given, ['limits', 'scopes'], 'a plan')) return byScope
  const { limits, scopes } = given as { limits?: unknown; scopes?: unknown }
  byScope.set('', limitsIn(problems, [...path, 'limits'], limits))
  for (const [scope, ofScope] of problems.pairs([...path, 'scopes'], scopes)) {
    byScope.set(scope, limitsIn(problems, [...path, 'scopes', scope], ofScope))
  }
  checkSentNames(problems, path, byScope)
  checkFieldSize(problems, path, byScope)
  return byScope
}

function limitsIn(problems: PlanProblems, path: readonly string[], given: unknown): readonly Limit[] {
  return problems.pairs(path, given).flatMap(([name, one]) => {
    const at = [...path, name]
    const made = problems.attempt(at, () => limitNamed(name, fullForm(problems, at, name, one)))
    return made === undefined ? [] : [made]
  })
}

/** Makes `{ tokens: 10 }` of the number 10. Wrong members are left to `limit()`, which refuses them. */
function fullForm(problems: PlanProblems, path: readonly string[], name: string, given: unknown): PlanLimit {
  if (typeof given !== 'object' || given === null) {
    if (typeof given !== 'number') {
      throw new RailError(
        'RAIL_BAD_PLAN',
        `expected a number of tokens or { tokens, per }, got ${shown(given)}. Leave it out for no such limit.`,
      )
    }
    if (!NAMED_WINDOWS.has(name)) {
      throw new RailError(
        'RAIL_BAD_PLAN',
        `expected { tokens, per }, got ${given}: a number is enough for ${NAMES.join(', ')} only.${suggestionFor(name, NAMES)} Write { tokens: ${given}, per: '10s' }.`,
      )
    }
    return { tokens: given }
  }
  problems.isObject(path, given, ['tokens', 'per', 'burst', 'counts'], 'a limit')
  return given as PlanLimit
}

function limitNamed(name: string, { tokens, per, burst, counts }: PlanLimit): Limit {
  const windowMs = NAMED_WINDOWS.get(name)
  const lowerCase = NAMES.find((known) => known === name.toLowerCase())
  if (windowMs === undefined && lowerCase !== undefined) {
    throw new RailError('RAIL_BAD_PLAN', `expected the name "${lowerCase}", got "${name}". Write it in lower case.`)
  }
  if (per === undefined && windowMs === undefined) {
    throw new RailError('RAIL_BAD_PLAN', `expected a window, got none. Write per: '10s'.`)
  }
  if (per !== undefined && windowMs !== undefined && durationMs(per) !== windowMs) {
    throw new RailError(
      'RAIL_BAD_PLAN',
      `expected the window of "${name}", got per ${shown(per)}. Give it another name.`,
    )
  }
  return limit({ name, tokens, per: per ?? (windowMs as number), burst, counts })
}

/** Names as sent must differ, ignoring case: a request may be charged a plan's limits and those of one scope. */
function checkSentNames(problems: PlanProblems, path: readonly string[], byScope: ScopedLimits): void {
  const seen = new Set<string>()
  for (const [scope, limits] of byScope) {
    for (const made of limits) {
      const name = sentName(scope, made).toLowerCase()
      const at = scope === '' ? [...path, 'limits', made.name] : [...path, 'scopes', scope, made.name]
      if (seen.has(name)) problems.add(at, `expected unique names (ignoring case), got "${name}" twice. Rename one.`)
      seen.add(name)
    }
  }
}

/** Clients must be able to read the headers of the limits that one request meets: those of two scopes, `''` is one. */
export function checkFieldSize(problems: PlanProblems, path: readonly string[], byScope: ScopedLimits): void {
  const sizes = [...byScope].map(([scope, limits]) => fieldBytes(scope, limits)).toSorted((a, b) => b - a)
  const [largest = 0, second = 0] = sizes
  if (largest + second <= MOST_FIELD_BYTES) return
  problems.add(
    path,
    `expected RateLimit-Policy and RateLimit of at most ${MOST_FIELD_BYTES} bytes, got up to ${largest + second}: clients cannot read more. Use fewer limits, or shorter names of limits and scopes.`,
  )
}

/**
 * The limit that an override's number makes. With a limit of the plan: its window, the new tokens, and its burst in
 * proportion. Without one, the name must contain the window; `undefined` if it does not.
 *
 * @throws RailError `RAIL_BAD_LIMIT`
 */
export function overriddenLimit(
  planned: Limit | undefined,
  name: string,
  tokens: number,
  burst: number | undefined,
): Limit | undefined {
  const windowMs = planned?.windowMs ?? NAMED_WINDOWS.get(name)
  if (windowMs === undefined) return undefined
  const ownBurst = burst ?? (planned === undefined ? tokens : inProportion(planned.burst, tokens, planned.tokens))
  return limit({ name, tokens, per: windowMs, burst: ownBurst, counts: planned?.counts })
}

/** `burst * tokens / planned`, rounded up. In BigInt, because the product may pass 2^53 - 1. */
function inProportion(burst: number, tokens: number, planned: number): number {
  const product = BigInt(burst) * BigInt(tokens)
  return Number((product + BigInt(planned) - 1n) / BigInt(planned))
}

function namesOf(windows: ReadonlyMap<string, number>): readonly string[] {
  return [...windows.keys()]
}
