import { type Charge, type Decision, type MaybePromise, RailError, type Store } from '@rail/core'
import {
  checkCost,
  checkedCharges,
  checkKey,
  checkNow,
  checkOption,
  decisionOf,
  forgetLimit,
  shown,
  warn,
} from '@rail/core/store'
import { connectionBy, connectionOf } from './connect.js'
import type { Connection } from './connection.js'
import { reportEviction } from './eviction.js'
import { ForeignValues } from './foreign-values.js'
import { hashedWord, type KeyName, keyName, wordFor } from './key-name.js'
import { linesOf } from './limit-lines.js'
import { checkedTag, checkOptions, type RedisStoreOptions } from './redis-store-options.js'
import { RefusalCache } from './refusal-cache.js'
import {
  checkNumbers,
  commandOf,
  decisionFrom,
  type Move,
  type Reading,
  readingOf,
  type Take,
  takeFor,
} from './take.js'
import { TickQueue } from './tick-queue.js'

/**
 * Buckets in Redis: limits that are exact over any number of processes, in one round trip for each request.
 *
 * A take that Redis does not answer in time, or cannot do, rejects with `RAIL_STORE_FAILED`. The limiter's option
 * `onStoreFailure` decides on such a request. No take is sent twice.
 *
 * @example
 * const client = createClient({ disableOfflineQueue: true })
 * client.connect().catch(console.error)
 * app.use(rateLimit({ identify: (req) => req.customer.id, limits, store: new RedisStore({ client }) }))
 *
 * @throws RailError `RAIL_BAD_OPTION` for wrong options, and for a client that may send a command twice
 */
export class RedisStore implements Store {
  /** Several servers count in it: they get whole limits, never shares. */
  readonly isShared = true
  readonly #connection: Connection
  readonly #queue: TickQueue
  readonly #nameOf: (scope: string, key: string) => KeyName
  readonly #refusals: RefusalCache | undefined
  readonly #useGivenTime: boolean
  readonly #foreign: ForeignValues
  readonly #report: (error: unknown) => void
  #checkedEviction = false

  constructor(options: RedisStoreOptions) {
    checkOptions(options)
    const { client, run, prefix = 'rail:', deadlineMs = 50, tag, cluster = false, onError = warn } = options
    this.#connection = run === undefined ? connectionOf(client) : connectionBy(run, cluster)
    this.#queue = new TickQueue(this.#connection, deadlineMs)
    const wordOf = options.hashKeys === true ? hashedWord : wordFor
    this.#nameOf = (scope, key) =>
      keyName(prefix, tag === undefined ? key : checkedTag(tag(key, scope)), scope, key, wordOf)
    this.#refusals = options.rememberRefusals === true ? new RefusalCache(MOST_REFUSALS) : undefined
    this.#useGivenTime = options.useGivenTime === true
    this.#report = safely(onError)
    this.#foreign = new ForeignValues(this.#report)
  }

  take(given: readonly Charge[], now: number, earlier?: readonly Charge[]): MaybePromise<Decision> {
    const [charges, before] = checked(now, given, earlier)
    const refusals = this.#refusals
    if (refusals === undefined) return this.#decide(takeFor(charges, this.#nameOf, before), 'take', now)
    const sentAt = this.#nowMs(now)
    const single = charges.length === 1 && before === undefined ? charges[0] : undefined
    const refused = single && refusals.find(single, sentAt)
    if (refused !== undefined) return refused
    // Built only now: a repeated refusal does not need it.
    const take = takeFor(charges, this.#nameOf, before)
    for (const { key } of take.gives) refusals.forget(key)
    return this.#decide(take, 'take', now, (reading) => {
      if (single !== undefined && !reading.allowed) refusals.add(single, reading, sentAt, this.#nowMs(now))
      else for (const key of [...take.keys, ...take.gives.map((give) => give.key)]) refusals.forget(key)
    })
  }

  peek(given: readonly Charge[], now: number, earlier?: readonly Charge[]): Promise<Decision> {
    const [charges, before] = checked(now, given, earlier)
    return this.#decide(takeFor(charges, this.#nameOf, before), 'peek', now)
  }

  async settle(charges: readonly Charge[], actual: number, now: number): Promise<void> {
    checkCost(actual, 'settle()')
    const [own] = checked(now, charges)
    const moves = own.flatMap(({ scope = '', key, limits, cost }) => {
      const counted = limits.filter((limit) => limit.counts === 'cost')
      if (actual === cost || counted.length === 0) return []
      const { text } = linesOf(counted.length === limits.length ? limits : counted)
      return [{ key: this.#nameOf(scope, key), args: [text, String(actual - cost)] }]
    })
    await this.#move(moves, now)
  }

  async reset(key: string, scope = ''): Promise<void> {
    checkKey(key, 'key of reset()')
    checkOption('scope', scope, 'a string', (value) => typeof value === 'string')
    await this.#change(this.#nameOf(scope, key), ['reset'], 0)
  }

  /** Lets a limit that is the same for every request be defined otherwise: for a limiter that is made again. */
  forget(scope: string, name: string): void {
    forgetLimit(this, scope, name)
  }

  /**
   * Closes the store: takes that are under way fail, and so do all later ones. No timer is left. The client stays open, since
   * the caller made it.
   */
  close(): void {
    this.#queue.close()
  }

  #nowMs(now: number): number {
    return this.#useGivenTime ? now : performance.now()
  }

  #decide(take: Take, operation: 'take' | 'peek', now: number, note?: (reading: Reading) => void): Promise<Decision> {
    // All that is left to do for no charges is to give back what the request took earlier.
    if (take.keys.length === 0)
      return this.#move(operation === 'take' ? take.gives : [], now).then(() => decisionOf([]))
    const [keys, args] = commandOf(take, operation)
    return this.#send(keys, args, now, (numbers, first) => {
      const [reading, count] = readingOf(take, numbers, first)
      note?.(reading)
      if (reading.isForeign) this.#foreignAt(keys)
      if (!this.#checkedEviction) {
        this.#checkedEviction = true
        reportEviction(this.#connection, this.#report).catch(() => {})
      }
      return [decisionFrom(take, reading), count]
    })
  }

  #foreignAt(keys: readonly KeyName[]): void {
    this.#foreign.add(
      keys.map(({ name }) => name),
      performance.now(),
    )
  }

  async #move(moves: readonly Move[], now: number): Promise<void> {
    await Promise.all(moves.map(({ key, args }) => this.#change(key, ['settle', ...args], now)))
  }

  /** Settles or resets one key. */
  async #change(key: KeyName, args: readonly string[], now: number): Promise<void> {
    this.#refusals?.forget(key)
    await this.#send([key], args, now, (numbers, first) => {
      checkNumbers(numbers, first, first + 1)
      if ((numbers[first] as number) > 1) this.#foreignAt([key])
      return [undefined, 1]
    })
    // A take that was answered meanwhile may have read what was owed before.
    this.#refusals?.forget(key)
  }

  #send<T>(
    keys: readonly KeyName[],
    args: readonly string[],
    now: number,
    read: (numbers: readonly number[], first: number) => readonly [T, number],
  ): Promise<T> {
    const [{ tag, name }] = keys as [KeyName, ...KeyName[]]
    return new Promise((resolve, fail) => {
      if (this.#connection.isCluster) checkTags(keys, tag)
      const answer = (numbers: readonly number[], first: number): number => {
        const [value, count] = read(numbers, first)
        resolve(value)
        return count
      }
      const names = keys.length === 1 ? [name] : keys.map((key) => key.name)
      this.#queue.add({ tag, keys: names, args, answer, fail }, this.#useGivenTime ? String(now) : '')
    })
  }
}

/** The charges that a caller passes, and the moment, checked. */
function checked(
  now: number,
  charges: readonly Charge[],
  before?: readonly Charge[],
): readonly [readonly Charge[], readonly Charge[] | undefined] {
  checkNow(now)
  return [checkedCharges(charges), before === undefined ? undefined : checkedCharges(before)]
}

/** A hook whose own errors are dropped: they must not fail a take. */
function safely(hook: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    new Promise<void>((resolve) => resolve(hook(error))).catch(() => {})
  }
}

/** The most keys that the refusal cache knows. */
const MOST_REFUSALS = 10_000

function checkTags(keys: readonly KeyName[], tag: string): void {
  const other = keys.find((key) => key.tag !== tag)
  if (other === undefined) return
  throw new RailError(
    'RAIL_BAD_CHARGES',
    `charges: expected keys of one tag, got ${shown(tag)} and ${shown(other.tag)}, which may be on different servers of the cluster. ` +
      'Let the option tag return one string for keys that are charged together.',
  )
}
