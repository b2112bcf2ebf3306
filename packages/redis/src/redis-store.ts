import { type Charge, type Decision, decisionOf, type MaybePromise, RailError, type Store } from '@rail/core'
import { connectionBy, connectionOf } from './connect.js'
import type { Connection } from './connection.js'
import { type KeyName, keyName } from './key-name.js'
import { linesOf } from './limit-lines.js'
import { checkedTag, checkOptions, type RedisStoreOptions } from './redis-store-options.js'
import { RefusalCache } from './refusal-cache.js'
import { type Ask, argumentsOf, askFor, checkNumbers, decisionFrom, type Reading, readingOf } from './take.js'
import { TickQueue } from './tick-queue.js'

/**
 * Buckets in Redis: the same limits, exact over any number of processes, in one round trip a request.
 *
 * A take that Redis does not answer in time, or cannot do, rejects with `RAIL_STORE_FAILED`; what becomes of the request is
 * the limiter's `onStoreFailure`. No take is sent twice.
 *
 * @example
 * const client = createClient({ disableOfflineQueue: true })
 * client.connect().catch(console.error)
 * app.use(rateLimit({ identify: (req) => req.customer.id, limits, store: new RedisStore({ client }) }))
 *
 * @throws RailError `RAIL_BAD_OPTION` for wrong options, and for a client that would send commands again
 */
export class RedisStore implements Store {
  readonly #connection: Connection
  readonly #queue: TickQueue
  readonly #nameOf: (scope: string, key: string) => KeyName
  readonly #refusals: RefusalCache | undefined
  readonly #useGivenTime: boolean
  #looked = false

  constructor(options: RedisStoreOptions) {
    checkOptions(options)
    const { client, run, prefix = 'rail:', deadlineMs = 50, tag, cluster = false } = options
    this.#connection = run === undefined ? connectionOf(client, deadlineMs) : connectionBy(run, cluster)
    this.#queue = new TickQueue(this.#connection, deadlineMs)
    this.#nameOf = (scope, key) => keyName(prefix, tag === undefined ? key : checkedTag(tag(key, scope)), scope, key)
    this.#refusals = options.rememberRefusals === true ? new RefusalCache(MOST_REFUSALS) : undefined
    this.#useGivenTime = options.useGivenTime === true
  }

  take(charges: readonly Charge[], now: number, before?: readonly Charge[]): MaybePromise<Decision> {
    const beside = before === undefined ? [] : chargesBeside(disjoint(before), charges)
    if (beside.length > 0) return this.#giveBack(beside, now).then(() => this.#take(charges, now, before))
    return this.#take(charges, now, before)
  }

  #take(charges: readonly Charge[], now: number, before: readonly Charge[] | undefined): MaybePromise<Decision> {
    const refusals = this.#refusals
    if (refusals === undefined) return this.#decide(askFor(charges, this.#nameOf, before), 'take', now)
    const askedAt = this.#nowMs(now)
    const known = before === undefined ? refusals.look(charges, askedAt) : undefined
    if (known !== undefined) return known
    const ask = askFor(charges, this.#nameOf, before)
    return this.#decide(ask, 'take', now, (reading) => refusals.note(ask, reading, askedAt, this.#nowMs(now)))
  }

  peek(charges: readonly Charge[], now: number, before?: readonly Charge[]): Promise<Decision> {
    return this.#decide(askFor(charges, this.#nameOf, before), 'peek', now)
  }

  #giveBack(charges: readonly Charge[], now: number): Promise<void> {
    const moved = charges.flatMap(({ scope = '', key, limits, cost }) =>
      limits.map((limit) => ({ scope, key, args: [linesOf([limit]).text, String(-costFor(limit, cost))] })),
    )
    return this.#change('settle', moved, now)
  }

  settle(charges: readonly Charge[], actual: number, now: number): Promise<void> {
    const moved = charges.flatMap(({ scope = '', key, limits, cost }) => {
      const counted = limits.filter((limit) => limit.counts === 'cost')
      if (actual === cost || counted.length === 0) return []
      const { text } = linesOf(counted.length === limits.length ? limits : counted)
      return [{ scope, key, args: [text, String(actual - cost)] }]
    })
    return this.#change('settle', moved, now)
  }

  reset(key: string, scope = ''): Promise<void> {
    return this.#change('reset', [{ scope, key, args: [] }], 0)
  }

  /**
   * Stops: what is under way fails, and so does whatever is asked from now on. No timer is left. The client stays open: it
   * is the caller's.
   */
  close(): void {
    this.#queue.close()
  }

  #nowMs(now: number): number {
    return this.#useGivenTime ? now : performance.now()
  }

  #decide(ask: Ask, operation: 'take' | 'peek', now: number, note?: (reading: Reading) => void): Promise<Decision> {
    if (ask.keys.length === 0) return Promise.resolve(decisionOf([]))
    return this.#ask(ask.keys, argumentsOf(ask, operation), now, (numbers, first) => {
      const [reading, count] = readingOf(ask, numbers, first)
      note?.(reading)
      if (!this.#looked) {
        this.#looked = true
        warnOfEviction(this.#connection)
      }
      return [decisionFrom(ask, reading), count]
    })
  }

  async #change(
    operation: 'settle' | 'reset',
    changes: readonly { readonly scope: string; readonly key: string; readonly args: readonly string[] }[],
    now: number,
  ): Promise<void> {
    if (changes.length === 0) return
    const forget = () => {
      for (const { scope, key } of changes) this.#refusals?.forget(scope, key)
    }
    forget()
    const keys = changes.map(({ scope, key }) => this.#nameOf(scope, key))
    const args = changes.flatMap((change) => change.args)
    await this.#ask(keys, [operation, String(keys.length), String(args.length), ...args], now, (numbers, first) => {
      checkNumbers(numbers, first, first + 1)
      return [undefined, 1]
    })
    forget()
  }

  #ask<T>(
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

/** Of how many keys refusals are remembered at most. */
const MOST_REFUSALS = 10_000

function checkTags(keys: readonly KeyName[], tag: string): void {
  const other = keys.find((key) => key.tag !== tag)
  if (other === undefined) return
  throw new RailError(
    'RAIL_BAD_CHARGES',
    `In a cluster, one request charges keys of one tag: "${tag}" and "${other.tag}" may be on different servers, where nothing ` +
      'can take from both or neither. Let the option tag return one text for keys that are charged together.',
  )
}

/**
 * Warns, by `process.emitWarning`, where Redis may drop buckets that owe something: whoever loses one starts with a full
 * one. What cannot be asked is not warned of.
 */
function warnOfEviction(connection: Connection): void {
  const look = async (): Promise<void> => {
    for (const info of await connection.memoryInfo()) {
      const policy = /^maxmemory_policy:(\S+)/m.exec(String(info))?.[1]
      if (policy === undefined || KEEPING.includes(policy)) continue
      process.emitWarning(
        `Redis has the maxmemory-policy "${policy}", by which it may forget what a customer has spent. Set it to noeviction, or ` +
          'to volatile-ttl, which begins with the buckets that are nearly full.',
        { type: 'RailWarning', code: 'RAIL_REDIS_EVICTS' },
      )
      return
    }
  }
  look().catch(() => {})
}

const KEEPING = ['noeviction', 'volatile-ttl']
