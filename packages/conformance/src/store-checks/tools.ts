import { deepEqual, fail } from 'node:assert/strict'
import type { Charge, Decision, Limit, Store } from '@rail/core'

/** A sentence of the specification, with its check, which rejects where a fresh store breaks the sentence. */
export interface StoreCheck {
  readonly name: string
  readonly check: (store: Store) => Promise<void>
}

/** One moment in the life of a key: a request and its expected answer. A property that is left out is not compared. */
export interface Moment {
  readonly now: number
  /** @default 1 */
  readonly cost?: number
  readonly allowed: boolean
  /** Tokens left of each limit. */
  readonly left?: readonly number[]
  /** `retryAfterMs` of the decision. */
  readonly wait?: number
  /** `fullAfterMs` of each limit. */
  readonly full?: readonly number[]
}

/** A charge of one limit or several; the key is `'customer'` by default. */
export function charge(limits: Limit | readonly Limit[], more: Partial<Omit<Charge, 'limits'>> = {}): Charge {
  return { key: 'customer', cost: 1, ...more, limits: Array.isArray(limits) ? limits : [limits as Limit] }
}

/** Takes at each moment and compares. The numbers of the moment that failed are in the error. */
export async function lives(store: Store, of: Charge, moments: readonly Moment[]): Promise<void> {
  for (const moment of moments) {
    const { now, cost = 1 } = moment
    equal(answerOf(await store.take([{ ...of, cost }], now), moment), expected(moment), `at ${now} ms, cost ${cost}`)
  }
}

/** As {@link lives}, without taking. */
export async function shows(store: Store, of: Charge, moments: readonly Moment[]): Promise<void> {
  for (const moment of moments) {
    const { now, cost = 1 } = moment
    equal(
      answerOf(await store.peek([{ ...of, cost }], now), moment),
      expected(moment),
      `peek at ${now} ms, cost ${cost}`,
    )
  }
}

function expected({ allowed, left, wait, full }: Moment): unknown {
  return { allowed, left, wait, full }
}

function answerOf(decision: Decision, { left, wait, full }: Moment): unknown {
  return {
    allowed: decision.allowed,
    left: left === undefined ? undefined : leftOf(decision),
    wait: wait === undefined ? undefined : decision.retryAfterMs,
    full: full === undefined ? undefined : decision.limits.map((status) => status.fullAfterMs),
  }
}

/** Tokens left of each limit. */
export function leftOf(decision: Decision): number[] {
  return decision.limits.map((status) => status.remaining)
}

/** Throws unless both are deeply equal. */
export function equal(actual: unknown, wanted: unknown, what: string): void {
  try {
    deepEqual(actual, wanted)
  } catch (cause) {
    throw new Error(`${what}: expected ${text(wanted)}, got ${text(actual)}`, { cause })
  }
}

/** Rejects unless `call` throws or rejects with this code. */
export async function failsWith(code: string, call: () => unknown): Promise<void> {
  try {
    await call()
  } catch (error) {
    equal((error as { code?: unknown }).code, code, 'the code of the error')
    return
  }
  fail(`error: expected ${code}, got none`)
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, part) => (part === Number.POSITIVE_INFINITY ? 'Infinity' : part))
}
