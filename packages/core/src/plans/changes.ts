import { shown } from '../base/errors.js'
import { suggestionFor } from '../base/suggestion.js'
import type { PlanChanges, PlanDocument } from './document.js'
import { type Override, type OverrideTargets, overridden, overridesOf, overrideTargets } from './overrides.js'
import { checkFieldSize, planLimits, type ScopedLimits } from './plan-limits.js'
import { PlanProblems } from './problems.js'

/** The checked plans and customers of a book, with their limits. */
export interface PlanState {
  readonly plans: ReadonlyMap<string, ScopedLimits>
  readonly customers: ReadonlyMap<string, Listed>
  readonly defaultPlan: string | undefined
  readonly servers: 'each' | { readonly split: number }
}

/** A customer in a book. All customers of one plan who have no overrides are the same object. */
export interface Listed {
  readonly plan: string | undefined
  readonly overrides: readonly Override[]
}

/** No plans and no customers. */
export const EMPTY: PlanState = { plans: new Map(), customers: new Map(), defaultPlan: undefined, servers: 'each' }

/** The state after changes. Its `customers` are only those that differ. */
export interface NextState extends PlanState {
  readonly problems: PlanProblems
  readonly removedCustomers: readonly string[]
}

const DOCUMENT_NAMES = ['plans', 'customers', 'defaultPlan', 'servers']
const CHANGE_NAMES = ['plans', 'removedPlans', 'customers', 'removedCustomers', 'defaultPlan', 'servers']

/** Checks a document, as changes to an empty state. */
export function checkDocument(document: PlanDocument): NextState {
  const problems = new PlanProblems()
  if (!problems.isObject([], document, DOCUMENT_NAMES, 'a plan document'))
    return { ...EMPTY, problems, removedCustomers: [] }
  if (document.plans === undefined)
    problems.add(['plans'], 'expected an object of plans by name, got undefined. Write plans: { free: {} }.')
  if ((document.defaultPlan as unknown) === null)
    problems.add(['defaultPlan'], 'expected the name of a plan, got null. Leave it out for no default plan.')
  return next(problems, EMPTY, document)
}

/** Checks changes against a state, which stays as it is. */
export function checkChanges(state: PlanState, changes: PlanChanges): NextState {
  const problems = new PlanProblems()
  if (!problems.isObject([], changes, CHANGE_NAMES, 'changes')) return { ...state, problems, removedCustomers: [] }
  return next(problems, state, changes)
}

function next(problems: PlanProblems, state: PlanState, changes: PlanChanges): NextState {
  const servers = serversAfter(problems, state.servers, changes.servers)
  const defaultPlan = changes.defaultPlan === undefined ? state.defaultPlan : (changes.defaultPlan ?? undefined)
  const plans =
    changes.plans === undefined && changes.removedPlans === undefined
      ? state.plans
      : plansAfter(problems, state, changes)
  if (defaultPlan !== undefined) checkPlanName(problems, ['defaultPlan'], defaultPlan, plans)

  const customerOf = customerReader(problems, plans, defaultPlan)
  const customers = new Map<string, Listed>()
  const removedCustomers = namesOf(problems, ['removedCustomers'], changes.removedCustomers)
  const changed = problems.pairs(['customers'], changes.customers)
  if (plans !== state.plans || defaultPlan !== state.defaultPlan) {
    // An override depends on the plans, and a plan may be gone, so the other customers are checked again.
    const replaced = new Set([...removedCustomers, ...changed.map(([key]) => key)])
    for (const [key, { plan, overrides }] of state.customers) {
      if (replaced.has(key) || (overrides.length === 0 && (plan === undefined || plans.has(plan)))) continue
      customers.set(key, customerOf(key, { plan, overrides: overrides.map(({ sent, given }) => [sent, given]) }))
    }
  }
  for (const [key, given] of changed) customers.set(key, customerOf(key, given))
  return { problems, plans, customers, removedCustomers, defaultPlan, servers }
}

function plansAfter(problems: PlanProblems, state: PlanState, changes: PlanChanges): PlanState['plans'] {
  const plans = new Map(state.plans)
  for (const name of namesOf(problems, ['removedPlans'], changes.removedPlans)) plans.delete(name)
  for (const [name, given] of problems.pairs(['plans'], changes.plans)) {
    plans.set(name, planLimits(problems, ['plans', name], given))
  }
  return plans
}

type CustomerReader = (key: string, given: unknown) => Listed

function customerReader(
  problems: PlanProblems,
  plans: PlanState['plans'],
  defaultPlan: string | undefined,
): CustomerReader {
  const withoutOverrides = new Map<unknown, Listed>()
  let targets: OverrideTargets | undefined
  return (key, given) => {
    const path = ['customers', key]
    if (!problems.isObject(path, given, ['plan', 'overrides'], 'a customer')) return { plan: undefined, overrides: [] }
    const { plan, overrides: givenOverrides } = given as { plan?: string; overrides?: unknown }
    if (plan !== undefined && !(typeof plan === 'string' && plans.has(plan))) {
      checkPlanName(problems, [...path, 'plan'], plan, plans)
    }
    const at = [...path, 'overrides']
    targets ??= overrideTargets(problems, plans)
    const overrides = givenOverrides === undefined ? [] : overridesOf(problems, at, givenOverrides, targets)
    if (overrides.length > 0) {
      const planned = plans.get(plan ?? defaultPlan ?? '') ?? new Map()
      const made = overrides.filter((override) =>
        problems.attempt([...at, override.sent], () => overridden(planned, [override])),
      )
      // Without those that remove a limit: they may end before the others.
      const longest = made.filter(({ given }) => given.tokens !== 'no-limit')
      if (longest.length > 0) checkFieldSize(problems, at, overridden(planned, longest))
      return { plan, overrides }
    }
    const known = withoutOverrides.get(plan) ?? { plan, overrides }
    withoutOverrides.set(plan, known)
    return known
  }
}

function checkPlanName(
  problems: PlanProblems,
  path: readonly string[],
  plan: unknown,
  plans: PlanState['plans'],
): void {
  if (typeof plan !== 'string') {
    problems.add(path, `expected the name of a plan, got ${shown(plan)}. Write the name of one of the plans.`)
  } else if (!plans.has(plan)) {
    problems.add(
      path,
      `expected the name of a plan, got ${shown(plan)}.${suggestionFor(plan, [...plans.keys()])} Add it to plans, or name another.`,
    )
  }
}

/** Equal settings stay the same object, so that an unchanged state is recognised. */
function serversAfter(problems: PlanProblems, before: PlanState['servers'], given: unknown): PlanState['servers'] {
  if (given === undefined) return before
  if (given === 'each') return given
  const split = typeof given === 'object' && given !== null ? (given as { split?: unknown }).split : undefined
  if (
    typeof split === 'number' &&
    Number.isSafeInteger(split) &&
    split >= 1 &&
    Object.keys(given as object).length === 1
  ) {
    return before !== 'each' && before.split === split ? before : { split }
  }
  problems.add(
    ['servers'],
    `expected 'each' (every server enforces the whole limit) or { split: 4 } (a quarter each), got ${shown(given)}. Write one of these.`,
  )
  return before
}

function namesOf(problems: PlanProblems, path: readonly string[], names: unknown): readonly string[] {
  if (names === undefined) return []
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names
  problems.add(path, `expected an array of names, got ${shown(names)}. Write ['…'].`)
  return []
}
