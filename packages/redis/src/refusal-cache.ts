import { createHash } from 'node:crypto'
import { type Charge, costFor, type Decision, decisionOf, drained, fits, type Limit, statusOf } from '@rail/core'
import { linesOf } from './limit-lines.js'
import type { Ask, Reading } from './take.js'

/** What the buckets of one key owed when they were last read for a refusal. */
interface Known {
  readonly limits: readonly Limit[]
  readonly owed: readonly number[]
  readonly aheadMs: number
  readonly askedAt: number
  readonly readAt: number
}

/**
 * Refuses again, for up to a second, what Redis has just refused, without asking it: others can only have taken more
 * meanwhile. What fits by then is asked. Bounded, whatever the keys are; what it forgets is asked.
 */
export class RefusalCache {
  // Apart, so that no text of a scope and a key is that of another key.
  readonly #plain: Newest<Known>
  readonly #scoped: Newest<Known>

  constructor(mostKeys: number) {
    this.#plain = new Newest(mostKeys / 2)
    this.#scoped = new Newest(mostKeys / 2)
  }

  /** The decision on charges that are sure to be refused; `undefined` if Redis must be asked. */
  look(charges: readonly Charge[], nowMs: number): Decision | undefined {
    if (this.#plain.isEmpty && this.#scoped.isEmpty) return undefined
    if (charges.length === 1) {
      const [charge] = charges as readonly [Charge]
      const known = this.#knownOf(charge, nowMs)
      return known !== undefined && isRefused(known, charge, nowMs)
        ? decisionOf(statusesOf(known, charge, nowMs))
        : undefined
    }
    return this.#lookAtSeveral(charges, nowMs)
  }

  #lookAtSeveral(charges: readonly Charge[], nowMs: number): Decision | undefined {
    const all: [Known, Charge][] = []
    const met = new Set<Known>()
    for (const charge of charges) {
      const known = this.#knownOf(charge, nowMs)
      // Charges that meet in a bucket are asked with their costs added: that is Redis's to do.
      if (known === undefined || met.has(known)) return undefined
      met.add(known)
      all.push([known, charge])
    }
    if (!all.some(([known, charge]) => isRefused(known, charge, nowMs))) return undefined
    return decisionOf(all.flatMap(([known, charge]) => statusesOf(known, charge, nowMs)))
  }

  #knownOf(charge: Charge, nowMs: number): Known | undefined {
    const known = this.#mapOf(charge.scope).get(textOf(charge.scope, charge.key))
    if (known === undefined || nowMs < known.readAt || nowMs - known.askedAt >= MOST_MS) return undefined
    const same = known.limits === charge.limits || linesOf(known.limits).text === linesOf(charge.limits).text
    return same ? known : undefined
  }

  /** Notes what has been read, or forgets what is no longer true. */
  note({ keys }: Ask, { allowed, aheadMs, owed }: Reading, askedAt: number, readAt: number): void {
    let first = 0
    for (const [index, { charges }] of keys.entries()) {
      const next = charges.reduce((sum, { charge }) => sum + charge.limits.length, first)
      for (const { charge, scope } of charges) {
        // Of charges that meet in one key, none alone knows what the key owes.
        if (allowed || charges.length > 1) this.forget(scope, charge.key)
        else {
          const { key, limits } = charge
          const known = { limits, owed: owed.slice(first, next), aheadMs: aheadMs[index] as number, askedAt, readAt }
          this.#mapOf(scope).set(copyOf(textOf(scope, key)), known)
        }
      }
      first = next
    }
  }

  forget(scope: string, key: string): void {
    this.#mapOf(scope).delete(textOf(scope, key))
  }

  #mapOf(scope: string | undefined): Newest<Known> {
    return scope === undefined || scope === '' ? this.#plain : this.#scoped
  }
}

const MOST_MS = 1_000

/** What a scope and a key are known by: never longer than a hash, so that what is remembered is bounded. */
function textOf(scope: string | undefined, key: string): string {
  const text = scope === undefined || scope === '' ? key : `${scope.length}:${scope}${key}`
  return text.length < HASH_LENGTH ? text : createHash('sha256').update(text, 'utf16le').digest('hex')
}

/** Only a hash has this many characters: no other text is one. */
const HASH_LENGTH = 64

/** The same text in memory of its own: a slice would keep alive the whole header that it was cut from. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** Counted from the asking: Redis may have read it as early as that. */
function isRefused({ owed, aheadMs, askedAt }: Known, { limits, cost }: Charge, nowMs: number): boolean {
  const elapsedMs = Math.max(0, nowMs - askedAt - aheadMs)
  for (let index = 0; index < limits.length; index++) {
    const limit = limits[index] as Limit
    if (!fits(drained(owed[index] as number, elapsedMs, limit), limit, costFor(limit, cost))) return true
  }
  return false
}

/** Counted from the answer: a wait that is told is never too short. */
function statusesOf({ owed, aheadMs, readAt }: Known, { scope = '', key, limits, cost }: Charge, nowMs: number) {
  const elapsedMs = nowMs - readAt
  const drainedMs = elapsedMs > aheadMs ? elapsedMs - aheadMs : 0
  const behindMs = elapsedMs < aheadMs ? aheadMs - elapsedMs : 0
  return limits.map((limit, index) => {
    const owes = drained(owed[index] as number, drainedMs, limit)
    const asks = costFor(limit, cost)
    return statusOf(limit, key, scope, asks, !fits(owes, limit, asks), owes, behindMs)
  })
}

/** The newest of what is put in, at most so many. Two generations, since a Map that drops one by one grows ever slower. */
class Newest<T> {
  readonly #most: number
  #young = new Map<string, T>()
  #old = new Map<string, T>()

  constructor(most: number) {
    this.#most = most
  }

  get isEmpty(): boolean {
    return this.#young.size === 0 && this.#old.size === 0
  }

  get(key: string): T | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  set(key: string, value: T): void {
    this.#young.set(key, value)
    if (this.#young.size * 2 < this.#most) return
    this.#old = this.#young
    this.#young = new Map()
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
