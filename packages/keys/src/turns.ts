import type { MaybePromise } from '@rail/core'

/**
 * The requests that wait because their address has no tokens left but look-ups in flight: one of these may give its token
 * back. They wait in the order of their arrival, requests with one key together.
 */
export class Turns<Result> {
  readonly #addresses = new Map<string, Address<Result>>()
  readonly #hasTokens: (from: string) => boolean
  readonly #now: () => number

  constructor(hasTokens: (from: string) => boolean, now: () => number) {
    this.#hasTokens = hasTokens
    this.#now = now
  }

  /** Notes a look-up in flight that has a token of this address. Returns its result, after which the next request has its turn. */
  during(from: string, lookUp: PromiseLike<Result>): PromiseLike<Result> {
    const address = this.#addresses.get(from) ?? { inFlight: 0, latestMs: 0, waiting: new Map() }
    this.#addresses.set(from, address)
    address.inFlight++
    address.latestMs = this.#now()
    const end = (): void => {
      address.inFlight--
      address.latestMs = this.#now()
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

  /** The result of `retry` when its turn has come; `undefined` when there is no look-up to wait for. */
  wait(from: string, hash: string, retry: () => MaybePromise<Result>): Promise<Result> | undefined {
    const address = this.#addresses.get(from)
    if (address === undefined || address.inFlight === 0) return undefined
    if (this.#now() - address.latestMs >= PATIENCE_MS) {
      address.inFlight = 0
      this.#next(from, address)
      return undefined
    }
    let turn = address.waiting.get(hash)
    if (turn === undefined) {
      let start = (): void => {}
      const result = new Promise<Result>((resolve) => {
        // A promise of its own, so that what retry throws rejects.
        start = () => resolve(new Promise((done) => done(retry())))
      })
      turn = { start, result }
      address.waiting.set(hash, turn)
    }
    return turn.result
  }

  /** Starts as many of the waiting as there are tokens, and all of them once no look-up is left to wait for. */
  #next(from: string, address: Address<Result>): void {
    for (const [hash, { start }] of address.waiting) {
      if (address.inFlight > 0 && !this.#hasTokens(from)) return
      address.waiting.delete(hash)
      start()
    }
    if (address.inFlight <= 0 && this.#addresses.get(from) === address) this.#addresses.delete(from)
  }
}

/** A look-up that takes longer, in milliseconds, is not waited for: it may never end. */
export const PATIENCE_MS = 10_000

interface Address<Result> {
  inFlight: number
  /** When a look-up began or ended last, in milliseconds. */
  latestMs: number
  /** By the hash of a key. */
  readonly waiting: Map<string, { readonly start: () => void; readonly result: Promise<Result> }>
}
