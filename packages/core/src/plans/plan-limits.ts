import { RailError, shown } from '../base/errors.js'
import { suggestionFor } from '../base/suggestion.js'
import { durationMs } from '../limit/duration.js'
import { type Limit, limit } from '../limit/limit.js'
import { sentName } from '../limit/sent-name.js'
import type { PlanLimit } from './document.js'
import type { PlanProblems } from './problems.js'

/** The limits of a plan by scope; `''` has those of every request. */
export type ScopedLimits = ReadonlyMap<string, readonly Limit[]>

/** The names that say their window, in milliseconds. */
export const NAMED_WINDOWS: ReadonlyMap<string, number> = new Map([
  ['per_second', 1_000],
  ['per_minute', 60_000],
  ['per_hour', 3_600_000],
  ['per_day', 86_400_000],
])

// Marked, as a bundle that has no plans in it could not leave it out otherwise.
const NAMES = /* @__PURE__ */ namesOf(NAMED_WINDOWS)

/** The limits of one plan, made and checked. */
export function planLimits(problems: PlanProblems, path: readonly string[], said: unknown): ScopedLimits {
  const byScope = new Map<string, readonly Limit[]>([['', []]])
  if (!problems.isObject(path, said, ['limits', 'scopes'], 'A plan')) return byScope
  const { limits, scopes } = said as { limits?: unknown; scopes?: unknown }
  byScope.set('', limitsIn(problems, [...path, 'limits'], limits))
  for (const [scope, its] of problems.pairs([...path, 'scopes'], scopes, 'Scopes')) {
    byScope.set(scope, limitsIn(problems, [...path, 'scopes', scope], its))
  }
  checkSentNames(problems, path, byScope)
  return byScope
}

function limitsIn(problems: PlanProblems, path: readonly string[], said: unknown): readonly Limit[] {
  return problems.pairs(path, said, 'Limits').flatMap(([name, one]) => {
    const at = [...path, name]
    const made = problems.attempt(at, () => limitNamed(name, fullForm(problems, at, name, one)))
    return made === undefined ? [] : [made]
  })
}

/** A number stands for its tokens. Anything that is not an object is left for `limit()` to refuse, which says how. */
function fullForm(problems: PlanProblems, path: readonly string[], name: string, said: unknown): PlanLimit {
  if (typeof said !== 'object' || said === null) {
    if (typeof said !== 'number') {
      throw new RailError(
        'RAIL_BAD_PLAN',
        `A limit is a number of tokens, or { tokens, per }; got ${shown(said)}. Where there is no such limit, leave it out.`,
      )
    }
    if (!NAMED_WINDOWS.has(name)) {
      throw new RailError(
        'RAIL_BAD_PLAN',
        `A number is enough for ${NAMES.join(', ')} only.${suggestionFor(name, NAMES)} For another window write { tokens: ${said}, per: '10s' }.`,
      )
    }
    return { tokens: said }
  }
  problems.isObject(path, said, ['tokens', 'per', 'burst', 'counts'], 'A limit')
  return said as PlanLimit
}

function limitNamed(name: string, { tokens, per, burst, counts }: PlanLimit): Limit {
  const windowMs = NAMED_WINDOWS.get(name)
  const meant = NAMES.find((known) => known === name.toLowerCase())
  if (windowMs === undefined && meant !== undefined) {
    throw new RailError('RAIL_BAD_PLAN', `Write "${meant}", in small letters: the name says the window.`)
  }
  if (per === undefined && windowMs === undefined) {
    throw new RailError('RAIL_BAD_PLAN', `Limit "${name}" needs its window. Write per: '10s'.`)
  }
  if (per !== undefined && windowMs !== undefined && durationMs(per) !== windowMs) {
    throw new RailError('RAIL_BAD_PLAN', `"${name}" says its window, and per says ${shown(per)}. Give it another name.`)
  }
  return limit({ name, tokens, per: per ?? (windowMs as number), burst, counts })
}

/** A request may be charged a plan's limits and those of one scope: their names as sent must differ, ignoring case. */
function checkSentNames(problems: PlanProblems, path: readonly string[], byScope: ScopedLimits): void {
  const seen = new Set<string>()
  for (const [scope, limits] of byScope) {
    for (const made of limits) {
      const name = sentName(scope, made).toLowerCase()
      const at = scope === '' ? [...path, 'limits', made.name] : [...path, 'scopes', scope, made.name]
      if (seen.has(name))
        problems.add(at, `This plan has two limits named "${name}" (case does not count). Rename one.`)
      seen.add(name)
    }
  }
}

/**
 * The limit that an override's number makes: the plan's window with other tokens, and its burst in proportion; or a limit
 * whose name says its window. `undefined` where neither says what the number means.
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

/** `burst * tokens / planned`, rounded up, exactly: the product may pass 2^53 - 1. */
function inProportion(burst: number, tokens: number, planned: number): number {
  const product = BigInt(burst) * BigInt(tokens)
  return Number((product + BigInt(planned) - 1n) / BigInt(planned))
}

function namesOf(windows: ReadonlyMap<string, number>): readonly string[] {
  return [...windows.keys()]
}
