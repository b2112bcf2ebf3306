import type { Limit } from '@rail/core'
import { ExactStore } from '../exact/exact-store.js'
import { answerOf, chargesIn, type Vector, type VectorAnswer, type VectorCharge, type VectorStep } from './vectors.js'

/** Makes a vector: takes steps on the exact store and records the answers. */
export class VectorRecorder {
  readonly #name: string
  readonly #limits: Record<string, Limit>
  readonly #steps: VectorStep[] = []
  readonly #store = new ExactStore()
  readonly #chargesOf: ReturnType<typeof chargesIn>

  constructor(name: string, limits: Record<string, Limit>) {
    this.#name = name
    this.#limits = limits
    this.#chargesOf = chargesIn(limits)
  }

  get vector(): Vector {
    return { name: this.#name, limits: this.#limits, steps: this.#steps }
  }

  /**
   * Takes, in place of the charges that the same request took `before`. A refusal gets four peeks more. Those just before and
   * after it must show the same buckets. One a millisecond before the end of the wait must be refused, one at its end allowed.
   */
  take(charges: readonly VectorCharge[], now: number, before?: readonly VectorCharge[]): VectorAnswer {
    const nothing = charges.map((charge) => ({ ...charge, cost: 0 }))
    if (!this.#answer('peek', charges, now, before).allowed) this.peek(nothing, now, before)
    const answer = this.#answer('take', charges, now, before)
    this.#steps.push({ op: 'take', now, charges, before, answer })
    if (answer.allowed) return answer
    this.peek(nothing, now)
    const { wait } = answer
    if (wait !== null && Number.isSafeInteger(now + wait)) {
      this.peek(charges, now + wait - 1)
      this.peek(charges, now + wait)
    }
    return answer
  }

  peek(charges: readonly VectorCharge[], now: number, before?: readonly VectorCharge[]): VectorAnswer {
    const answer = this.#answer('peek', charges, now, before)
    this.#steps.push({ op: 'peek', now, charges, before, answer })
    return answer
  }

  #answer(
    op: 'take' | 'peek',
    charges: readonly VectorCharge[],
    now: number,
    before: readonly VectorCharge[] | undefined,
  ): VectorAnswer {
    const earlier = before === undefined ? undefined : this.#chargesOf(before)
    return answerOf(this.#store[op](this.#chargesOf(charges), now, earlier))
  }

  settle(charges: readonly VectorCharge[], actual: number, now: number): void {
    this.#store.settle(this.#chargesOf(charges), actual, now)
    this.#steps.push({ op: 'settle', now, charges, actual })
  }

  reset(key: string, scope: string): void {
    this.#store.reset(key, scope)
    this.#steps.push({ op: 'reset', key, scope })
  }
}
