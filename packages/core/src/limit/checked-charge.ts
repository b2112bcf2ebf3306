import type { Charge } from './charge.js'
import type { Limit } from './limit.js'

/**
 * A charge whose members were each read and checked once. Stores use it as it is: a request makes one, not another in each
 * place that checks it.
 */
export class CheckedCharge implements Charge {
  readonly scope: string | undefined
  readonly key: string
  readonly limits: readonly Limit[]
  readonly cost: number
  #alone: readonly CheckedCharge[] | undefined = undefined

  constructor(scope: string | undefined, key: string, limits: readonly Limit[], cost: number) {
    this.scope = scope
    this.key = key
    this.limits = limits
    this.cost = cost
  }

  static has(charge: object): charge is CheckedCharge {
    return #alone in charge
  }

  /** The charges of a request that has only this one: the same array each time. */
  get alone(): readonly CheckedCharge[] {
    this.#alone ??= [this]
    return this.#alone
  }
}
