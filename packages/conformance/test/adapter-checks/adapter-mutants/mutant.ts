import type { ServerResponse } from 'node:http'
import {
  type Charge,
  type Decision,
  type Field,
  type Limiter,
  type LimiterOptions,
  type MaybePromise,
  MemoryStore,
  type Outcome,
  type PlainCharging,
  type RouteOptions,
  type Store,
} from '@rail/core'
import type { Fault, Req } from '../plain-adapter.js'

/** An adapter with one fault, and the sentences of the specification that it breaks, by their names. */
export interface Mutant extends Fault {
  readonly fault: string
  readonly breaks: readonly (string | RegExp)[]
}

type Identify = PlainCharging<Req>['identify']
type Limits = Extract<PlainCharging<Req>['limits'], (...given: never[]) => unknown>

/** With some options replaced. */
export function options(change: (options: LimiterOptions<Req>) => object): Pick<Mutant, 'options'> {
  return { options: (given) => ({ ...given, ...change(given) }) as LimiterOptions<Req> }
}

/** With what `identify` gives replaced. */
export function identifying(change: (key: unknown, req: Req) => unknown): Pick<Mutant, 'options'> {
  return options(({ identify }) => {
    if (identify === undefined) return {}
    return { identify: (req: Req) => mapped((identify as Identify)(req), (key) => change(key, req)) }
  })
}

/** With what a `limits` function gives replaced. */
export function limiting(change: (limits: unknown) => unknown): Pick<Mutant, 'options'> {
  return options(({ limits }) => {
    if (typeof limits !== 'function') return {}
    return { limits: (key: string, req: Req) => mapped((limits as Limits)(key, req), change) }
  })
}

/** With a memory store of a kind of its own, where the scenario has none. */
export function storing(Faulty: new () => MemoryStore): Pick<Mutant, 'options'> {
  return options(({ store }) => ({ store: store ?? new Faulty() }))
}

/** With a limiter that is used otherwise, on costlier routes too. */
export function taking(take: (limiter: Limiter<Req>, req: Req) => MaybePromise<Outcome>): Pick<Mutant, 'limiter'> {
  const faulty = (limiter: Limiter<Req>): Limiter<Req> => ({
    take: (req) => take(limiter, req),
    with: (route) => faulty(limiter.with(route)),
    of: limiter.of,
  })
  return { limiter: faulty }
}

/** With another `with`. */
export function routing(
  change: (limiter: Limiter<Req>, route: RouteOptions<Req>) => Limiter<Req>,
): Pick<Mutant, 'limiter'> {
  return { limiter: (limiter) => ({ ...limiter, with: (route) => change(limiter, route) }) }
}

/** With fields replaced on the way, or left out. */
export function sending(
  change: (field: Field, outcome: Outcome) => Partial<Field> | undefined,
): Pick<Mutant, 'outcome'> {
  return {
    outcome: (outcome) => ({
      ...outcome,
      headers: outcome.headers.flatMap((field) => {
        const changed = change(field, outcome)
        return changed === undefined ? [] : [{ ...field, ...changed }]
      }),
    }),
  }
}

/** With another `settle`. It has a store of its own, which it calls without the limiter. */
export function settling(
  settle: (actual: number, outcome: Outcome, store: Store, charges: readonly Charge[]) => void,
): Pick<Mutant, 'options' | 'outcome'> {
  return {
    ...storing(MemoryStore),
    outcome: (outcome, _req, _res, { store }) => ({
      ...outcome,
      settle: (actual) => settle(actual, outcome, store as Store, chargesOf(outcome.decision)),
    }),
  }
}

function chargesOf(decision: Decision | undefined): Charge[] {
  return (decision?.limits ?? []).map(({ limit, key, scope, cost }) => ({ limits: [limit], key, scope, cost }))
}

/** Does something before a response ends. */
export function beforeEnd(res: ServerResponse, act: (body: unknown) => void): void {
  const end = res.end.bind(res) as (...given: unknown[]) => ServerResponse
  res.end = (...given: unknown[]) => {
    act(given[0])
    return end(...given)
  }
}

/** The change of a value, or of a promise's. */
export function mapped<T, U>(value: MaybePromise<T>, change: (value: T) => U): MaybePromise<U> {
  if (typeof value === 'object' && value !== null && 'then' in value) return value.then(change)
  return change(value)
}

/** The outcome of a request that was not counted. */
export const UNCOUNTED: Outcome = { decision: undefined, headers: [], refusal: undefined, settle: () => {} }
