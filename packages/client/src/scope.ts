import type { ParsedHeaders, ParsedLimit } from '@rail/core/read'
import type { Call } from './call.js'
import { queueFull, waitTooLong } from './client-error.js'
import type { Settings } from './client-options.js'
import { CoolDown } from './cool-down.js'
import { type Hold, longest, type WaitReason } from './hold.js'
import { callHook } from './hooks.js'
import type { Flight } from './known-limit.js'
import { Pacer } from './pacer.js'
import { Queue, type Waiting } from './queue.js'
import { Ramp } from './ramp.js'
import { after } from './timer.js'

/** The current state of one scope. */
export interface ScopeState {
  readonly scope: string
  /** The calls that wait. */
  readonly waiting: number
  /** The requests in flight. */
  readonly inFlight: number
  /** Why the next request waits, and the most milliseconds; `undefined`: it does not. */
  readonly hold: { readonly reason: WaitReason; readonly waitMs: number } | undefined
  /** The limits in the server's responses. */
  readonly limits: readonly ParsedLimit[]
}

/** The calls that share limits at a server, those of one origin by default. Decides when each of them is sent. */
export class Scope {
  readonly #name: string
  readonly #settings: Settings
  readonly #queue = new Queue()
  /** Oldest first. */
  readonly #flights = new Set<Flight>()
  readonly #pacer: Pacer
  readonly #coolDown: CoolDown
  readonly #ramp: Ramp
  #ticks = 0
  #cancelTimer: (() => void) | undefined

  constructor(name: string, settings: Settings) {
    this.#name = name
    this.#settings = settings
    this.#pacer = new Pacer({ reserve: settings.reserve, mostMs: settings.maxWaitMs })
    this.#coolDown = new CoolDown(settings.backoff)
    this.#ramp = new Ramp(settings.pace ? 1 : Number.POSITIVE_INFINITY)
  }

  /** Whether no call waits, and none is in flight. */
  get unused(): boolean {
    return this.#queue.length === 0 && this.#flights.size === 0
  }

  /** Whether, in addition, the next call would not wait: then the scope can be forgotten. */
  get idle(): boolean {
    return this.unused && this.#hold(this.#settings.now()) === undefined
  }

  /**
   * Fulfilled when this call may be sent. @throws (rejects) the signal's reason, or ClientError: `RAIL_WAIT_TOO_LONG` as soon
   * as the server sends a wait above `maxWait`, `RAIL_QUEUE_FULL` if too many calls wait
   */
  turn(waiting: Waiting, isRetry: boolean): Promise<Flight> {
    const { call, signal } = waiting
    const { maxQueue } = this.#settings
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    const turn = this.#queue.enter(waiting, () => this.#pump())
    this.#pump()
    const ahead = this.#queue.indexOf(waiting)
    if (ahead >= maxQueue && !isRetry) this.#queue.stop(waiting, queueFull(call, this.#name, maxQueue))
    else if (ahead >= 0) this.#reportWait(call, ahead)
    return turn
  }

  /** A request was answered. Returns whether it was refused, which starts a cool-down. */
  answered(flight: Flight, status: number, { limits, retryAfterMs, stale }: ParsedHeaders): boolean {
    const { now, pace } = this.#settings
    const [tick, at] = [this.#land(flight), now()]
    const refused = status === 429 || (retryAfterMs !== undefined && (status === 503 || status === 403))
    // Retry-After takes precedence over the reset of a limit (draft-11 section 7).
    const learnt = limits.map((limit) => (refused && limit.remaining === 0 ? resetAt(limit, retryAfterMs) : limit))
    if (pace && !stale) {
      if (learnt.length > 0) this.#pacer.learn(learnt, flight, tick, at)
      else if (status >= 500) this.#pacer.presumeSpent(tick)
    }
    if (refused) {
      const begins = this.#coolDown.start(retryAfterMs ?? (stale ? 0 : longestReset(learnt)), at)
      if (begins) this.#ramp.refused(this.#flights.size + 1, this.#coolDown.until)
    } else if (status < 500) {
      this.#coolDown.served(at)
      this.#ramp.served(pace && !stale && learnt.length > 0, at)
    }
    this.#pump()
    return refused
  }

  /** A request failed without an answer. The server may have counted it. */
  failed(flight: Flight): void {
    this.#pacer.presumeSpent(this.#land(flight))
    this.#pump()
  }

  /** Milliseconds until the next request may be sent, as known now. */
  waitMs(): number {
    const now = this.#settings.now()
    return Math.max(0, (this.#hold(now)?.until ?? now) - now)
  }

  /** The part of them that the server sent. */
  requiredMs(): number {
    return this.#hold(this.#settings.now())?.requiredMs ?? 0
  }

  state(): ScopeState {
    const now = this.#settings.now()
    const hold = this.#hold(now)
    return {
      scope: this.#name,
      waiting: this.#queue.length,
      inFlight: this.#flights.size,
      hold: hold && { reason: hold.reason, waitMs: hold.until - now },
      limits: this.#pacer.state(now),
    }
  }

  #reportWait(call: Call, ahead: number): void {
    const now = this.#settings.now()
    const hold = this.#hold(now)
    if (hold === undefined) return
    const { until, reason } = hold
    callHook(this.#settings.onWait, { call, scope: this.#name, reason, waitMs: until - now, ahead })
  }

  /** Sends all calls that may be sent, and sets a timer for the next. */
  #pump(): void {
    const { now, timer, maxWaitMs } = this.#settings
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    while (this.#queue.length > 0) {
      const at = now()
      const hold = this.#hold(at)
      if (hold === undefined) {
        this.#queue.release(this.#take(at))
      } else if (hold.requiredMs > maxWaitMs) {
        const waitMs = hold.requiredMs
        const retryAt = this.#settings.dateIn(waitMs)
        this.#queue.stopAll(({ call, refusal: response }) =>
          waitTooLong(call, maxWaitMs, { waitMs, retryAt, response }),
        )
      } else {
        this.#cancelTimer = after(timer, hold.until - at, () => this.#pump())
        return
      }
    }
  }

  #hold(now: number): Hold | undefined {
    return longest([
      this.#coolDown.hold(now),
      this.#pacer.hold(this.#flights, now),
      this.#ramp.hold(this.#flights.size, now),
    ])
  }

  #take(now: number): Flight {
    const flight: Flight = { tick: this.#ticks++, sentAt: now }
    this.#pacer.sent(now)
    this.#ramp.sent(this.#flights.size, now)
    this.#flights.add(flight)
    return flight
  }

  #land(flight: Flight): number {
    this.#flights.delete(flight)
    return this.#ticks++
  }
}

/** A used-up limit, with the server's `Retry-After` as its reset. */
function resetAt(limit: ParsedLimit, resetAfterMs: number | undefined): ParsedLimit {
  return resetAfterMs === undefined ? limit : { ...limit, resetAfterMs }
}

function longestReset(limits: readonly ParsedLimit[]): number {
  return Math.max(0, ...limits.map(({ remaining, resetAfterMs }) => (remaining === 0 ? (resetAfterMs ?? 0) : 0)))
}
