import { drained, fits } from '@rail/core'
import type { Ask, Reading } from './ask.js'

/** What one key owed when it was last read for a refusal. */
interface Known {
  readonly lines: string
  readonly owed: readonly number[]
  readonly aheadMs: number
  readonly askedAt: number
  readonly readAt: number
}

/**
 * Refuses again, for up to a second, what Redis has just refused, without asking it: others can only have taken more
 * meanwhile. What fits by then is asked. Bounded; what it forgets is asked.
 */
export class RefusalCache {
  readonly #mostKeys: number
  // Two generations, since a Map that drops its oldest key one by one grows ever slower.
  #young = new Map<string, Known>()
  #old = new Map<string, Known>()

  constructor(mostKeys: number) {
    this.#mostKeys = mostKeys
  }

  /** What would be read for an ask that is sure to be refused; `undefined` if Redis must be asked. */
  look({ keys, stride }: Ask, nowMs: number): Reading | undefined {
    if ((this.#young.size === 0 && this.#old.size === 0) || stride === 4) return undefined
    let refused = false
    const aheadMs: number[] = []
    const owed: number[] = []
    for (const { name, lines, buckets } of keys) {
      const known = this.#young.get(name) ?? this.#old.get(name)
      if (known === undefined || known.lines !== lines || nowMs < known.readAt) return undefined
      if (nowMs - known.askedAt >= MOST_MS) return undefined
      // Counted from the asking for whether it is still refused, from the answer for what is told: too long never, too
      // short never.
      const [sinceAsked, sinceRead] = [nowMs - known.askedAt, nowMs - known.readAt]
      aheadMs.push(Math.max(0, known.aheadMs - sinceRead))
      for (const [index, { limit, cost }] of buckets.entries()) {
        const owes = known.owed[index] as number
        const least = drained(owes, Math.max(0, sinceAsked - known.aheadMs), limit)
        if (!fits(least, limit, cost)) refused = true
        owed.push(drained(owes, Math.max(0, sinceRead - known.aheadMs), limit))
      }
    }
    return refused ? { allowed: false, aheadMs, owed, redefined: [] } : undefined
  }

  /** Notes what has been read, or forgets what is no longer true. */
  note({ keys }: Ask, { allowed, aheadMs, owed }: Reading, askedAt: number, readAt: number): void {
    if (allowed) {
      for (const { name } of keys) this.forget(name)
      return
    }
    let first = 0
    for (const [index, { name, lines, buckets }] of keys.entries()) {
      const next = first + buckets.length
      this.#keep(name, { lines, owed: owed.slice(first, next), aheadMs: aheadMs[index] as number, askedAt, readAt })
      first = next
    }
  }

  forget(name: string): void {
    this.#young.delete(name)
    this.#old.delete(name)
  }

  #keep(name: string, known: Known): void {
    this.#young.set(name, known)
    if (this.#young.size * 2 < this.#mostKeys) return
    this.#old = this.#young
    this.#young = new Map()
  }
}

const MOST_MS = 1_000
