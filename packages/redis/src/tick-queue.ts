import { createHash } from 'node:crypto'
import { Batch, type Item } from './batch.js'
import { Breaker } from './breaker.js'
import type { Connection } from './connection.js'
import { messageOf, replyFailure, storeFailure } from './failure.js'
import { SCRIPT } from './script.js'

/**
 * Sends the items of one turn of the event loop together: on a single server in one script, in a cluster in one script for
 * each tag. Nothing waits longer than the deadline. A server that does not answer gets only probes.
 */
export class TickQueue {
  readonly #connection: Connection
  readonly #deadlineMs: number
  /** By server. */
  readonly #breakers = new Map<string, Breaker>()
  readonly #underWay = new Set<Batch>()
  #waiting: Item[] = []
  #time = ''
  #turn: ReturnType<typeof setImmediate> | undefined
  #closed = false

  constructor(connection: Connection, deadlineMs: number) {
    this.#connection = connection
    this.#deadlineMs = deadlineMs
  }

  /**
   * Sends an item with the others of this turn.
   *
   * @param time The script's time in milliseconds. `''` is the server's time.
   */
  add(item: Item, time: string): void {
    if (this.#closed) {
      item.fail(storeFailure(CLOSED))
      return
    }
    if (time !== this.#time) this.#flush()
    this.#time = time
    this.#waiting.push(item)
    this.#turn ??= setImmediate(() => this.#flush())
  }

  /** Fails the items that are under way and all later ones. Leaves no timer. */
  close(): void {
    this.#closed = true
    const batches = [...this.#underWay, new Batch(this.#waiting)]
    this.#waiting = []
    this.#flush()
    for (const batch of batches) batch.fail(storeFailure(CLOSED))
  }

  #flush(): void {
    clearImmediate(this.#turn)
    this.#turn = undefined
    const waiting = this.#waiting
    this.#waiting = []
    for (const [tag, items] of this.#together(waiting)) {
      for (let first = 0; first < items.length; first += MOST_ITEMS) {
        this.#send(new Batch(items.slice(first, first + MOST_ITEMS)), tag)
      }
    }
  }

  /** Groups of items that may share a script: in a cluster only keys of one slot may, such as those of one tag. */
  #together(waiting: readonly Item[]): Iterable<[tag: string, items: readonly Item[]]> {
    if (!this.#connection.isCluster) return [['', waiting]]
    const byTag = new Map<string, Item[]>()
    for (const item of waiting) {
      const items = byTag.get(item.tag)
      if (items === undefined) byTag.set(item.tag, [item])
      else items.push(item)
    }
    return byTag
  }

  #send(batch: Batch, tag: string): void {
    const connection = this.#connection
    const breaker = this.#breakerOf(connection.serverOf(tag))
    const reason =
      connection.notReady() ??
      (breaker.allows(performance.now()) ? undefined : `${OPEN} (the last time: ${breaker.reason})`)
    if (reason !== undefined) {
      batch.fail(storeFailure(`Redis: expected a usable connection, got none: ${reason}`))
      return
    }
    this.#underWay.add(batch)
    const { keys, args } = batch.input(this.#time)
    const fail = (error: unknown): void => {
      batch.fail(error)
      connection.lookAgain?.(keys[0] as string)
    }
    const late = (busyMs: number): void => {
      const toDo = busyMs > 0 ? `This process was busy for ${Math.round(busyMs)} ms of that.` : undefined
      if (busyMs > 0) breaker.unclear()
      else breaker.failed(performance.now(), 'no reply in time')
      fail(storeFailure(`Redis: expected a reply within ${this.#deadlineMs} ms, got none`, undefined, toDo))
    }
    const answered = (replies: unknown): void => {
      if (!this.#underWay.has(batch)) return
      breaker.succeeded()
      batch.answer(replies)
    }
    const refused = (cause: unknown): void => {
      if (!this.#underWay.has(batch)) return
      breaker.failed(performance.now(), messageOf(cause))
      fail(replyFailure('Redis: expected a reply', messageOf(cause), cause))
    }
    let reply: PromiseLike<unknown>
    try {
      reply = connection.run(SCRIPT, scriptSha(), keys, args, batch)
    } catch (cause) {
      reply = Promise.reject(cause)
    }
    batch.start(this.#deadlineMs, connection.writesLater, late, () => this.#underWay.delete(batch))
    // A user's own function may return anything.
    Promise.resolve(reply).then(answered).catch(refused)
  }

  #breakerOf(server: string): Breaker {
    let breaker = this.#breakers.get(server)
    if (breaker === undefined) {
      breaker = new Breaker(FAILURES_TO_OPEN, PROBE_EVERY_MS)
      this.#breakers.set(server, breaker)
    }
    return breaker
  }
}

const CLOSED = 'RedisStore: expected an open store, got one that close() has closed'
/** More would delay other users of the same server. */
const MOST_ITEMS = 64
const FAILURES_TO_OPEN = 5
const PROBE_EVERY_MS = 500
const OPEN = `it failed ${FAILURES_TO_OPEN} times in a row and is tried again twice a second`

/** The script's SHA-1, by which Redis knows it. Made when it is first needed. */
function scriptSha(): string {
  sha ??= createHash('sha1').update(SCRIPT).digest('hex')
  return sha
}

let sha: string | undefined
