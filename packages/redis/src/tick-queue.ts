import { createHash } from 'node:crypto'
import { Batch, type Item, storeFailure } from './batch.js'
import { Breaker } from './breaker.js'
import type { Connection } from './connection.js'
import { SCRIPT } from './script.js'

/**
 * Sends what is asked in one turn of the event loop together: on a single server in one script, in a cluster in one for
 * each tag. Nothing waits longer than the deadline, and a server that does not answer is asked no more, but for probes.
 */
export class TickQueue {
  readonly #connection: Connection
  readonly #deadlineMs: number
  /** One for each server. */
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
   * @param time Milliseconds, as the script takes them: `''` is the server's time.
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

  /** Fails what is under way and whatever is asked from now on, and leaves no timer. */
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

  /** What may share a script: in a cluster only keys of one slot, and those of one tag are. */
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
    const reason = connection.notReady() ?? (breaker.allows(performance.now()) ? undefined : OPEN)
    if (reason !== undefined) {
      batch.fail(storeFailure(`Redis was not asked: ${reason}.`))
      return
    }
    this.#underWay.add(batch)
    const { keys, args } = batch.input(this.#time)
    const failed = (error: unknown): void => {
      if (!this.#underWay.has(batch)) return
      breaker.failed(performance.now())
      batch.fail(error)
      connection.lookAgain?.(keys[0] as string)
    }
    batch.start(
      this.#deadlineMs,
      () => failed(storeFailure(`Redis did not answer within ${this.#deadlineMs} ms.`)),
      () => this.#underWay.delete(batch),
    )
    const answered = (replies: unknown): void => {
      if (!this.#underWay.has(batch)) return
      breaker.succeeded()
      batch.answer(replies)
    }
    const refused = (cause: unknown): void => failed(storeFailure(`Redis failed: ${messageOf(cause)}.`, cause))
    try {
      // Whatever a user's own function returns.
      Promise.resolve(connection.run(SCRIPT, scriptSha(), keys, args))
        .then(answered)
        .catch(refused)
    } catch (cause) {
      refused(cause)
    }
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

const CLOSED = 'The Redis store is closed.'
/** More would hold up what others ask of the same server. */
const MOST_ITEMS = 64
const FAILURES_TO_OPEN = 5
const PROBE_EVERY_MS = 500
const OPEN = `it failed ${FAILURES_TO_OPEN} times in a row, and is tried again now and then`

function messageOf(cause: unknown): string {
  // Some of node-redis's errors say what they are by their class alone.
  return (cause instanceof Error ? cause.message || cause.constructor.name : String(cause)).replace(/\.$/, '')
}

/** The script's SHA-1, by which Redis knows a script. Made when it is first needed. */
function scriptSha(): string {
  sha ??= createHash('sha1').update(SCRIPT).digest('hex')
  return sha
}

let sha: string | undefined
