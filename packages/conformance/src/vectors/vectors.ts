import type { Charge, Decision, Limit, Store } from '@rail/core'
import data from '../../data/vectors.json' with { type: 'json' }
import { equal } from '../store-checks/tools.js'

/** A golden vector: steps on buckets, each with the answer that every store must give. Plain JSON. */
export interface Vector {
  readonly name: string
  /** The limits that charges name. */
  readonly limits: Readonly<Record<string, Limit>>
  /** To be taken in turn, on a store without any buckets. */
  readonly steps: readonly VectorStep[]
}

/** One step of a vector. `now` is in milliseconds. */
export type VectorStep =
  | {
      readonly op: 'take' | 'peek'
      readonly now: number
      readonly charges: readonly VectorCharge[]
      /** The charges that the same request took earlier, if there are any. */
      readonly before?: readonly VectorCharge[] | undefined
      readonly answer: VectorAnswer
    }
  | { readonly op: 'settle'; readonly now: number; readonly charges: readonly VectorCharge[]; readonly actual: number }
  | { readonly op: 'reset'; readonly key: string; readonly scope: string }

/** A charge, its limits by their place in `limits` of the vector. */
export interface VectorCharge {
  readonly scope: string
  readonly key: string
  readonly limits: readonly string[]
  readonly cost: number
}

/** A decision, with a list for each property of its statuses. Waits are in milliseconds, `null` for never. */
export interface VectorAnswer {
  readonly allowed: boolean
  readonly wait: number | null
  readonly refusedBy: readonly string[]
  readonly cost: readonly number[]
  readonly left: readonly number[]
  readonly refused: readonly boolean[]
  readonly waits: readonly (number | null)[]
  readonly full: readonly number[]
}

/**
 * The golden vectors that every implementation of a store meets, in any language. Also exported as
 * `@rail/conformance/vectors.json`.
 */
export const vectors: readonly Vector[] = data as unknown as readonly Vector[]

/** Takes the steps of a vector on a store without any buckets; rejects at the first answer that differs. */
export async function checkVector(store: Store, vector: Vector): Promise<void> {
  const chargesOf = chargesIn(vector.limits)
  for (const [index, step] of vector.steps.entries()) {
    switch (step.op) {
      case 'settle':
        await store.settle(chargesOf(step.charges), step.actual, step.now)
        break
      case 'reset':
        await store.reset(step.key, step.scope)
        break
      default: {
        const before = step.before === undefined ? undefined : chargesOf(step.before)
        const answer = answerOf(await store[step.op](chargesOf(step.charges), step.now, before))
        equal(
          answer,
          step.answer,
          `step ${index + 1} of "${vector.name}", ${JSON.stringify({ ...step, answer: undefined })}`,
        )
      }
    }
  }
}

/** A decision as vectors have it. */
export function answerOf({ allowed, retryAfterMs, refusedBy, limits }: Decision): VectorAnswer {
  return {
    allowed,
    wait: waitOf(retryAfterMs),
    refusedBy: [...refusedBy],
    cost: limits.map((status) => status.cost),
    left: limits.map((status) => status.remaining),
    refused: limits.map((status) => status.refused),
    waits: limits.map((status) => waitOf(status.retryAfterMs)),
    full: limits.map((status) => status.fullAfterMs),
  }
}

/** JSON has no Infinity. */
function waitOf(ms: number): number | null {
  return ms === Number.POSITIVE_INFINITY ? null : ms
}

/** Charges as stores take them: the same limits are the same array, as they are in a program. */
export function chargesIn(limits: Vector['limits']): (charges: readonly VectorCharge[]) => readonly Charge[] {
  const sets = new Map<string, readonly Limit[]>()
  return (charges) =>
    charges.map((charge) => {
      const id = JSON.stringify(charge.limits)
      const set = sets.get(id) ?? charge.limits.map((name) => limits[name] as Limit)
      sets.set(id, set)
      return { ...charge, limits: set }
    })
}
