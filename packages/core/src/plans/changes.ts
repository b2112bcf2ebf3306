import { shown } from '../base/errors.js'
import { suggestionFor } from '../base/suggestion.js'
import type { PlanChanges, PlanDocument } from './document.js'
import { type Override, type OverrideTargets, overridden, overridesOf, overrideTargets } from './overrides.js'
import { planLimits, type ScopedLimits } from './plan-limits.js'
import { PlanProblems } from './problems.js'

/** Plans and customers as a book keeps them: checked, and with their limits made. */
export interface PlanState {
  readonly plans: ReadonlyMap<string, ScopedLimits>
  readonly customers: ReadonlyMap<string, Listed>
  readonly defaultPlan: string | undefined
  readonly servers: 'each' | { readonly split: number }
}

/** A customer in a book. Customers of one plan without overrides are one object. */
export interface Listed {
  readonly plan: string | undefined
  readonly overrides: readonly Override[]
}

/** No plans and no customers. */
export const EMPTY: PlanState = { plans: new Map(), customers: new Map(), defaultPlan: undefined, servers: 'each' }

/** What changes make of a state. Its `customers` are only those that differ. */
export interface NextState extends PlanState {
  readonly problems: PlanProblems
  readonly removedCustomers: readonly string[]
}

const DOCUMENT_NAMES = ['plans', 'customers', 'defaultPlan', 'servers']
const CHANGE_NAMES = ['plans', 'removedPlans', 'customers', 'removedCustomers', 'defaultPlan', 'servers']

/** Checks a document, as changes to nothing. */
export function checkDocument(document: PlanDocument): NextState {
  const problems = new PlanProblems()
  if (!problems.isObject([], document, DOCUMENT_NAMES, 'A plan document'))
    return { ...EMPTY, problems, removedCustomers: [] }
  if (document.plans === undefined)
    problems.add(['plans'], 'A plan document has plans: an object of plans by name. Write plans: { free: {} }.')
  if ((document.defaultPlan as unknown) === null) problems.add(['defaultPlan'], 'Without a default plan, leave it out.')
  return next(problems, EMPTY, document)
}

/** Checks changes against the state that they change. Nothing is changed yet. */
export function checkChanges(state: PlanState, changes: PlanChanges): NextState {
  const problems = new PlanProblems()
  if (!problems.isObject([], changes, CHANGE_NAMES, 'Changes of plans'))
    return { ...state, problems, removedCustomers: [] }
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
  const changed = problems.pairs(['customers'], changes.customers, 'Customers')
  if (plans !== state.plans || defaultPlan !== state.defaultPlan) {
    // What an override makes depends on the plans, and a plan may be gone: those who stay are looked at again.
    const replaced = new Set([...removedCustomers, ...changed.map(([key]) => key)])
    for (const [key, { plan, overrides }] of state.customers) {
      if (replaced.has(key) || (overrides.length === 0 && (plan === undefined || plans.has(plan)))) continue
      customers.set(key, customerOf(key, { plan, overrides: overrides.map(({ sent, said }) => [sent, said]) }))
    }
  }
  for (const [key, said] of changed) customers.set(key, customerOf(key, said))
  return { problems, plans, customers, removedCustomers, defaultPlan, servers }
}

function plansAfter(problems: PlanProblems, state: PlanState, changes: PlanChanges): PlanState['plans'] {
  const plans = new Map(state.plans)
  for (const name of namesOf(problems, ['removedPlans'], changes.removedPlans)) plans.delete(name)
  for (const [name, said] of problems.pairs(['plans'], changes.plans, 'Plans')) {
    plans.set(name, planLimits(problems, ['plans', name], said))
  }
  return plans
}

type CustomerReader = (key: string, said: unknown) => Listed

function customerReader(
  problems: PlanProblems,
  plans: PlanState['plans'],
  defaultPlan: string | undefined,
): CustomerReader {
  const withoutOverrides = new Map<unknown, Listed>()
  let targets: OverrideTargets | undefined
  return (key, said) => {
    const path = ['customers', key]
    if (!problems.isObject(path, said, ['plan', 'overrides'], 'A customer')) return { plan: undefined, overrides: [] }
    const { plan, overrides: saidOverrides } = said as { plan?: string; overrides?: unknown }
    if (plan !== undefined && !(typeof plan === 'string' && plans.has(plan))) {
      checkPlanName(problems, [...path, 'plan'], plan, plans)
    }
    const at = [...path, 'overrides']
    targets ??= overrideTargets(problems, plans)
    const overrides = saidOverrides === undefined ? [] : overridesOf(problems, at, saidOverrides, targets)
    if (overrides.length > 0) {
      const planned = plans.get(plan ?? defaultPlan ?? '') ?? new Map()
      for (const override of overrides) {
        problems.attempt([...at, override.sent], () => overridden(planned, [override]))
      }
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
    problems.add(path, `A plan is named by a text here, got ${shown(plan)}. Write the name of one of plans.`)
  } else if (!plans.has(plan)) {
    problems.add(
      path,
      `There is no plan ${shown(plan)}.${suggestionFor(plan, [...plans.keys()])} Add it to plans, or name another.`,
    )
  }
}

/** Equal settings are one object, so that a state that is the same is seen to be. */
function serversAfter(problems: PlanProblems, before: PlanState['servers'], said: unknown): PlanState['servers'] {
  if (said === undefined) return before
  if (said === 'each') return said
  const split = typeof said === 'object' && said !== null ? (said as { split?: unknown }).split : undefined
  if (
    typeof split === 'number' &&
    Number.isSafeInteger(split) &&
    split >= 1 &&
    Object.keys(said as object).length === 1
  ) {
    return before !== 'each' && before.split === split ? before : { split }
  }
  problems.add(
    ['servers'],
    `servers is 'each' (every server enforces the whole limit) or { split: 4 } (a quarter each), got ${shown(said)}. Write one of these.`,
  )
  return before
}

function namesOf(problems: PlanProblems, path: readonly string[], names: unknown): readonly string[] {
  if (names === undefined) return []
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names
  problems.add(path, `${path[0]} is an array of names, got ${shown(names)}. Write ['…'].`)
  return []
}
