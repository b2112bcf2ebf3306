import type { MaybePromise } from '@rail/core'
import { after } from './within.js'

/**
 * The requests that wait because their address has no tokens left but look-ups in flight: one of these may give its token
 * back. They wait in the order of their arrival, requests with one key together, and no longer than a look-up may take.
 */
export class Turns<Result> {
  readonly #addresses = new Map<string, Address<Result>>()
  readonly #hasTokens: (from: string) => boolean

  constructor(hasTokens: (from: string) => boolean) {
    this.#hasTokens = hasTokens
  }

  /** Notes a look-up in flight that has a token of this address. Returns its result, after which the next request has its turn. */
  during(from: string, lookUp: PromiseLike<Result>): PromiseLike<Result> {
    const address = this.#addresses.get(from) ?? { inFlight: 0, waiting: new Map() }
    this.#addresses.set(from, address)
    address.inFlight++
    const end = (): void => {
      address.inFlight--
      this.#next(from, address)
    }
    return lookUp.then(
      (result) => {
        end()
        return result
      },
      (error) => {
        end()
        throw error
      },
    )
  }

  /**
   * The result of `retry` when its turn has come, or when it has waited for long enough; `undefined` when there is no look-up
   * to wait for.
   */
  wait(from: string, hash: string, retry: () => MaybePromise<Result>): Promise<Result> | undefined {
    const address = this.#addresses.get(from)
    if (address === undefined || address.inFlight === 0) return undefined
    const known = address.waiting.get(hash)
    if (known !== undefined) return known.result
    let start = (): void => {}
    const result = new Promise<Result>((resolve) => {
      // A promise of its own, so that what retry throws rejects.
      start = () => resolve(new Promise((done) => done(retry())))
    })
    const turn = (): void => {
      stop()
      address.waiting.delete(hash)
      start()
    }
    const stop = after(turn)
    address.waiting.set(hash, { turn, result })
    return result
  }

  /** Starts as many of the waiting as there are tokens, and all of them once no look-up is left to wait for. */
  #next(from: string, address: Address<Result>): void {
    for (const { turn } of address.waiting.values()) {
      if (address.inFlight > 0 && !this.#hasTokens(from)) return
      turn()
    }
    if (address.inFlight === 0) this.#addresses.delete(from)
  }
}

interface Address<Result> {
  inFlight: number
  /** By the hash of a key. */
  readonly waiting: Map<string, { readonly turn: () => void; readonly result: Promise<Result> }>
}
