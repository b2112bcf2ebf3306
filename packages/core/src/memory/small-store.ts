import { checkOption, checkOptionNames, isFunction, isString, isWholeFrom } from '../base/check.js'
import { warn } from '../base/warning.js'
import {
  type Carried,
  carriedOver,
  costFor,
  drained,
  elapsedMs,
  fits,
  givenBack,
  MOST_AHEAD_MS,
  owedAfterTake,
} from '../bucket/bucket.js'
import { type Decision, decisionOf, statusOf } from '../bucket/decision.js'
import { forgetLimit } from '../bucket/static-limits.js'
import type { Store } from '../bucket/store.js'
import { type Charge, chargesBeside, checkCost, checkKey, disjoint, tokensTaken } from '../limit/charge.js'
import { checkedCharges, checkNow } from '../limit/check-charges.js'
import { type Limit, sameBucket } from '../limit/limit.js'
import { Dropped } from './dropped.js'
import { createKeptKeys } from './kept-key.js'
import type { MemoryStoreOptions } from './memory-store.js'

/** The buckets of one key in one scope, all drained to `at`, in a list from the least to the most recently used. */
interface Row {
  readonly id: string
  readonly characters: number
  at: number
  buckets: readonly Bucket[]
  older: Row
  newer: Row
}

/** What a bucket owes under a limit. */
interface Bucket extends Carried {
  readonly limit: Limit
}

/**
 * The same store as the other `MemoryStore`, for bundles that must be small: a `Map` and plain objects in place of a table.
 * It allows and refuses the same and keeps the same bounds, but takes two to five times as long for a decision.
 */
export class MemoryStore implements Store {
  readonly #maxKeys: number
  readonly #dropped: Dropped
  #kept: ((key: string) => string) | undefined
  readonly #rows = new Map<string, Row>()
  /** Stands between the most and the least recently used row: `newer` than this is the least recently used. */
  readonly #ends = rowOf('', 0, 0)
  #characters = 0

  constructor(options: MemoryStoreOptions = {}) {
    checkOptionNames(options, ['maxKeys', 'onError'], 'MemoryStore')
    const { maxKeys = 40_000, onError = warn } = options
    checkOption('maxKeys', maxKeys, `a whole number from 1 to ${MOST_KEYS}`, isNumberOfKeys)
    checkOption('onError', onError, 'a function', isFunction)
    this.#maxKeys = maxKeys
    this.#dropped = new Dropped(onError)
  }

  get size(): number {
    return this.#rows.size
  }

  get dropped(): number {
    return this.#dropped.total
  }

  take(charges: readonly Charge[], now: number, before: readonly Charge[] = []): Decision {
    return this.#decide(charges, now, before, true)
  }

  peek(charges: readonly Charge[], now: number, before: readonly Charge[] = []): Decision {
    return this.#decide(charges, now, before, false)
  }

  settle(charges: readonly Charge[], actual: number, now: number): void {
    checkCost(actual, 'settle()')
    checkNow(now)
    for (const charge of checkedCharges(charges)) {
      const limits = charge.limits.filter((limit) => limit.counts === 'cost')
      if (actual !== charge.cost && limits.length > 0) this.#move({ ...charge, limits }, actual - charge.cost, now)
    }
  }

  reset(key: string, scope = ''): void {
    checkKey(key, 'key of reset()')
    checkOption('scope', scope, 'a string', isString)
    const row = this.#rows.get(this.#idOf({ key, scope }))
    if (row !== undefined) this.#remove(row)
  }

  forget(scope: string, name: string): void {
    forgetLimit(this, scope, name)
  }

  #decide(given: readonly Charge[], now: number, earlier: readonly Charge[], commit: boolean): Decision {
    checkNow(now)
    const before = checkedCharges(earlier)
    const disjointed = disjoint(checkedCharges(given))
    const met = disjointed.map((charge) => {
      const row = this.#rows.get(this.#idOf(charge))
      const buckets = bucketsOf(row, charge.limits, now).map((bucket) =>
        moved(bucket, -tokensTaken(before, charge, bucket.limit)),
      )
      return { charge, row, buckets, aheadMs: aheadOf(row, now) }
    })
    const allowed = met.every(({ charge: { cost }, buckets }) => buckets.every((bucket) => hasRoom(bucket, cost)))
    const statuses = met.flatMap(({ charge: { scope = '', key, cost }, buckets, aheadMs }) =>
      buckets.map((bucket, index) => {
        const { limit } = bucket
        const tokens = costFor(limit, cost)
        const refused = !hasRoom(bucket, cost)
        if (allowed) buckets[index] = moved(bucket, tokens)
        const { owed } = buckets[index] as Bucket
        return statusOf(limit, key, scope, tokens, refused, owed, aheadMs)
      }),
    )
    if (commit) {
      // Rows that exist come first: to make one may drop another.
      for (const { charge, row, buckets, aheadMs } of met) {
        if (row !== undefined) this.#write(charge, buckets, now, aheadMs, true)
      }
      for (const { charge, row, buckets } of met) {
        if (row === undefined && buckets.some(({ total }) => total > 0)) this.#write(charge, buckets, now, 0, true)
      }
      for (const charge of before.length > 0 ? chargesBeside(disjoint(before), disjointed) : []) {
        for (const limit of charge.limits) {
          this.#move({ ...charge, limits: [limit] }, -costFor(limit, charge.cost), now)
        }
      }
    }
    return decisionOf(statuses)
  }

  /** Moves what the buckets of a charge owe by so many tokens, each at the definition that it has now. */
  #move(charge: Charge, tokens: number, now: number): void {
    const row = this.#rows.get(this.#idOf(charge))
    if (row === undefined && tokens <= 0) return
    const kept = owing(row, now)
    const limits = charge.limits.map((limit) => kept.find((bucket) => bucket.limit.name === limit.name)?.limit ?? limit)
    const buckets = bucketsOf(row, limits, now).map((bucket) => moved(bucket, tokens))
    this.#write(charge, buckets, now, aheadOf(row, now), false)
  }

  /** Writes a charge's buckets to its row, brought to now. Other buckets of the row stay while they owe. */
  #write(charge: Charge, buckets: readonly Bucket[], now: number, aheadMs: number, recent: boolean): void {
    const row = this.#rows.get(this.#idOf(charge)) ?? this.#insert(charge, now)
    if (recent) {
      unlink(row)
      link(row, this.#ends)
    }
    const others = owing(row, now)
      .filter(({ limit }) => buckets.every((bucket) => bucket.limit.name !== limit.name))
      .sort((a, b) => b.total / b.limit.flow - a.total / a.limit.flow)
    row.buckets = [...buckets, ...others.slice(0, MOST_OTHERS)]
    row.at = now + aheadMs
  }

  /** A row for a key that has none. Others are dropped while there is no room. */
  #insert({ scope = '', key }: Charge, now: number): Row {
    const id = this.#idOf({ scope, key })
    const characters = id.length - `${scope.length} `.length
    const room = this.#maxKeys * KEY_CHARACTERS - characters
    while (this.#rows.size > 0 && (this.#rows.size >= this.#maxKeys || this.#characters > room)) {
      this.#remove(this.#victim(now))
    }
    this.#dropped.reportIfDue(now)
    // A copy: a slice of a header would keep alive the whole header.
    const row = rowOf(id.split('').join(''), characters, now)
    this.#rows.set(row.id, row)
    this.#characters += characters
    link(row, this.#ends)
    return row
  }

  /** The first of the 8 least recently used rows whose buckets are all full, else the least recently used. */
  #victim(now: number): Row {
    let row = this.#ends.newer
    for (let tried = 0; tried < VICTIMS && row !== this.#ends; tried++, row = row.newer) {
      if (owing(row, now).length === 0) return row
    }
    const { newer } = this.#ends
    this.#dropped.add(elapsedMs(newer.at, now), now)
    return newer
  }

  /** Names a row. The length keeps a scope and a key apart from any other two that make the same string. */
  #idOf({ scope = '', key }: Pick<Charge, 'scope' | 'key'>): string {
    this.#kept ??= createKeptKeys()
    return `${scope.length} ${scope}${this.#kept(key)}`
  }

  #remove(row: Row): void {
    this.#rows.delete(row.id)
    this.#characters -= row.characters
    unlink(row)
  }
}

const MOST_KEYS = 2 ** 24
const KEY_CHARACTERS = 64
const VICTIMS = 8
const MOST_OTHERS = 255

const isNumberOfKeys = (value: number): boolean => isWholeFrom(1)(value) && value <= MOST_KEYS

/** A row that is its own neighbour, without buckets. */
function rowOf(id: string, characters: number, at: number): Row {
  const row = { id, characters, at, buckets: [] as readonly Bucket[] } as Row
  row.older = row.newer = row
  return row
}

function link(row: Row, ends: Row): void {
  row.older = ends.older
  row.newer = ends
  ends.older = row.older.newer = row
}

function unlink({ older, newer }: Row): void {
  older.newer = newer
  newer.older = older
}

/** The buckets that these limits have in a row, drained to `now` and carried over where a limit has changed. */
function bucketsOf(row: Row | undefined, limits: readonly Limit[], now: number): Bucket[] {
  return limits.map((limit) => {
    const kept = row?.buckets.find((bucket) => bucket.limit.name === limit.name)
    if (row === undefined || kept === undefined) return { limit, owed: 0, total: 0 }
    const elapsed = elapsedMs(row.at, now)
    const owed = drained(kept.owed, elapsed, kept.limit)
    const total = drained(kept.total, elapsed, kept.limit)
    return { limit, ...(sameBucket(kept.limit, limit) ? { owed, total } : carriedOver(owed, total, kept.limit, limit)) }
  })
}

/** The buckets of a row that owe something at `now`. */
function owing(row: Row | undefined, now: number): Bucket[] {
  const limits = row?.buckets.map(({ limit }) => limit) ?? []
  return bucketsOf(row, limits, now).filter(({ total }) => total > 0)
}

/** A bucket from which so many tokens more or, below 0, fewer are taken. */
function moved(bucket: Bucket, tokens: number): Bucket {
  const { limit, owed, total } = bucket
  if (tokens === 0) return bucket
  const move = (owes: number) => (tokens > 0 ? owedAfterTake(owes, limit, tokens) : givenBack(owes, limit, -tokens))
  return { ...bucket, owed: move(owed), total: move(total) }
}

function hasRoom({ limit, owed }: Bucket, cost: number): boolean {
  return fits(owed, limit, costFor(limit, cost))
}

/** How far the clock has stepped back behind a row, in milliseconds; 0 where nothing is owed or the step was too long. */
function aheadOf(row: Row | undefined, now: number): number {
  if (row === undefined || row.buckets.every(({ total }) => total === 0)) return 0
  const aheadMs = row.at - now
  return aheadMs > 0 && aheadMs <= MOST_AHEAD_MS ? aheadMs : 0
}
