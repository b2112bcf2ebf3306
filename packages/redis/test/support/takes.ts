import { type Charge, type Decision, limit, RailError } from '@rail/core'
import type { RedisStore } from '../../src/index.js'

const BURST = 1_000_000
/** A bucket in which every take is counted: nothing comes back while a test runs, and there is room for all. */
const ledger = limit({ name: 'ledger', tokens: 1, per: '30d', burst: BURST })

export function chargeOf(key = 'acme'): readonly [Charge] {
  return [{ key, limits: [ledger], cost: 1 }]
}

/** What became of a take: a decision, or what was wrong. Never rejects. */
export async function taken(store: RedisStore, key?: string): Promise<Decision | RailError> {
  try {
    return await store.take(chargeOf(key), 0)
  } catch (error) {
    return error as RailError
  }
}

/** Takes until Redis answers one; gives the failures before it. */
export async function takenAtLast(store: RedisStore, key?: string): Promise<readonly RailError[]> {
  const failures: RailError[] = []
  for (;;) {
    const answer = await taken(store, key)
    if ('allowed' in answer) return failures
    failures.push(answer)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Whether a take that failed may have been counted: it was sent, and Redis has not said what became of it. */
export function mayBeCounted(failure: unknown): boolean {
  return failure instanceof RailError && /^Redis: expected a reply/.test(failure.message)
}

/** How many takes Redis has counted for a key. */
export async function counted(store: RedisStore, key?: string): Promise<number> {
  const [charge] = chargeOf(key)
  const { limits } = await store.peek([{ ...charge, cost: 0 }], 0)
  return BURST - (limits[0]?.remaining ?? 0)
}

/**
 * Whether something is settled when timers of so many milliseconds have fired one after another: on a machine that stands
 * still meanwhile, our timers stand still too.
 */
export async function isSettledWithin(waits: readonly number[], promise: Promise<unknown>): Promise<boolean> {
  const late = Symbol('late')
  const timers = async (): Promise<symbol> => {
    for (const ms of waits) {
      await new Promise<void>((resolve) => setTimeout(resolve, ms))
      for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
    }
    return late
  }
  return (await Promise.race([promise, timers()])) !== late
}
