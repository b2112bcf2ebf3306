import { expect } from 'vitest'
import {
  createLimiter,
  type Limit,
  type Limiter,
  type LimiterOptions,
  MemoryStore,
  manualClock,
  type Outcome,
  type RailError,
} from '../../src/index.js'

/** A request that says itself what it is limited by. */
export interface Asked {
  readonly key?: string
  readonly limits: readonly Limit[]
  readonly cost?: number
}

/** A limiter whose requests say themselves what they are limited by, its clock, and what it has told. */
export function limiterOf(options: Partial<LimiterOptions<Asked>> = {}) {
  const errors: RailError[] = []
  const clock = options.clock ?? manualClock()
  const limiter = createLimiter<Asked>({
    identify: ({ key = 'acme' }) => key,
    limits: (_, request) => request.limits,
    cost: ({ cost = 1 }) => cost,
    onError: (error) => errors.push(error as RailError),
    store: new MemoryStore(),
    ...options,
    clock,
  } as LimiterOptions<Asked>)
  return { limiter, errors, clock: clock as ReturnType<typeof manualClock>, told: () => errors.map(({ code }) => code) }
}

/** Asks once, for one limit. */
export const take = (limiter: Limiter<Asked>, one: Limit, more: Partial<Asked> = {}): Outcome =>
  limiter.take({ limits: [one], ...more }) as Outcome

/** Which burst a request is held to. */
export const burstOf = (outcome: Outcome): number | undefined => outcome.decision?.limits[0]?.limit.burst

/** When which limit is asked, and the burst that the request is held to. */
export type Step = readonly [at: number, one: Limit, burst: number]

/** Asks once for each step, and expects each to be held to its burst. */
export function walk(
  { limiter, clock }: Pick<ReturnType<typeof limiterOf>, 'limiter' | 'clock'>,
  steps: readonly Step[],
): void {
  const found = steps.map(([at, one]) => {
    clock.set(at)
    return burstOf(take(limiter, one))
  })
  expect(found).toEqual(steps.map(([, , burst]) => burst))
}
