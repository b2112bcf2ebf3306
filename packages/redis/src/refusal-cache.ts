import type { Charge, Decision, Limit } from '@rail/core'
import { costFor, decisionOf, drained, fits, statusOf } from '@rail/core/store'
import { sha256 } from './key-name.js'
import { linesOf } from './limit-lines.js'
import type { Reading } from './take.js'

/** What the buckets of one key owed when Redis refused a charge. */
interface Refused {
  readonly scopeLength: number
  readonly limits: readonly Limit[]
  readonly owed: readonly number[]
  readonly aheadMs: number
  /** When the take was sent, and when its reply was read. */
  readonly sentAt: number
  readonly readAt: number
}

/**
 * Refuses again, for up to a second, what Redis has just refused, without a command to Redis: other processes can only have
 * taken more meanwhile. It knows single charges, and is bounded: what it has forgotten goes to Redis.
 */
export class RefusalCache {
  readonly #mostKeys: number
  readonly #refused = new Map<string, Refused>()

  constructor(mostKeys: number) {
    this.#mostKeys = mostKeys
  }

  /** The decision on a charge that is sure to be refused. `undefined` where Redis must decide. */
  find(charge: Charge, nowMs: number): Decision | undefined {
    const refused = this.#refused.get(textOf(charge))
    // Two pairs of scope and key with one text differ in the length of the scope.
    if (refused === undefined || refused.scopeLength !== (charge.scope ?? '').length) return undefined
    if (nowMs < refused.readAt || nowMs - refused.sentAt >= MOST_MS) return undefined
    const isSame = refused.limits === charge.limits || linesOf(refused.limits).text === linesOf(charge.limits).text
    if (!isSame) return undefined
    return isRefused(refused, charge, nowMs) ? decisionOf(statusesOf(refused, charge, nowMs)) : undefined
  }

  /** Keeps a refusal by Redis. */
  add(charge: Charge, { owed, aheadMs }: Reading, sentAt: number, readAt: number): void {
    // A Map that drops its oldest one by one grows ever slower. All are forgotten instead: none is older than a second.
    if (this.#refused.size >= this.#mostKeys) this.#refused.clear()
    const { scope = '', limits } = charge
    const refused = { scopeLength: scope.length, limits, owed, aheadMs: aheadMs[0] as number, sentAt, readAt }
    this.#refused.set(copyOf(textOf(charge)), refused)
  }

  /** Forgets the refusal of a scope and key. */
  forget(of: Pick<Charge, 'scope' | 'key'>): void {
    this.#refused.delete(textOf(of))
  }
}

const MOST_MS = 1_000

/** What the cache knows a scope and key by. Shorter than the name of the key in Redis, and never long. */
function textOf({ scope = '', key }: Pick<Charge, 'scope' | 'key'>): string {
  const text = scope === '' ? key : `${scope}\n${key}`
  return text.length < HASH_LENGTH ? text : sha256(text).digest('hex')
}

/** Only a hash has this many characters. */
const HASH_LENGTH = 64

/** The same string in memory of its own: a slice would keep alive the whole header that a key was cut from. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** Counts from the moment of sending: Redis may have read the buckets as early as that. */
function isRefused({ owed, aheadMs, sentAt }: Refused, { limits, cost }: Charge, nowMs: number): boolean {
  const elapsedMs = Math.max(0, nowMs - sentAt - aheadMs)
  for (let index = 0; index < limits.length; index++) {
    const limit = limits[index] as Limit
    if (!fits(drained(owed[index] as number, elapsedMs, limit), limit, costFor(limit, cost))) return true
  }
  return false
}

/** Counts from the reply, so that a wait that is sent is never too short. */
function statusesOf({ owed, aheadMs, readAt }: Refused, { scope = '', key, limits, cost }: Charge, nowMs: number) {
  const elapsedMs = nowMs - readAt
  const behindMs = Math.max(0, aheadMs - elapsedMs)
  return limits.map((limit, index) => {
    const owes = drained(owed[index] as number, Math.max(0, elapsedMs - aheadMs), limit)
    const tokens = costFor(limit, cost)
    return statusOf(limit, key, scope, tokens, !fits(owes, limit, tokens), owes, behindMs)
  })
}
