import type { Limit } from '@rail/core'
import { ExactStore } from '../exact/exact-store.js'
import { answerOf, chargesIn, type Vector, type VectorAnswer, type VectorCharge, type VectorStep } from './vectors.js'

/** Makes a vector: does what it is told on the exact store and writes down what is answered. */
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
   * Takes. Around a refusal it looks what is there before and after, which must be the same, a millisecond before the
   * told wait is over, which must be refused, and when it is, which must be allowed.
   */
  take(charges: readonly VectorCharge[], now: number): VectorAnswer {
    const asked = this.#chargesOf(charges)
    const nothing = charges.map((charge) => ({ ...charge, cost: 0 }))
    if (!this.#store.peek(asked, now).allowed) this.peek(nothing, now)
    const answer = answerOf(this.#store.take(asked, now))
    this.#steps.push({ op: 'take', now, charges, answer })
    if (answer.allowed) return answer
    const later = charges.map(({ taken, ...charge }) => charge)
    this.peek(
      later.map((charge) => ({ ...charge, cost: 0 })),
      now,
    )
    const { wait } = answer
    if (wait !== null && Number.isSafeInteger(now + wait)) {
      this.peek(later, now + wait - 1)
      this.peek(later, now + wait)
    }
    return answer
  }

  peek(charges: readonly VectorCharge[], now: number): VectorAnswer {
    const answer = answerOf(this.#store.peek(this.#chargesOf(charges), now))
    this.#steps.push({ op: 'peek', now, charges, answer })
    return answer
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
