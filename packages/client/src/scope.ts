import type { ParsedHeaders, ParsedLimit } from '@rail/core/read'
import type { Call } from './call.js'
import { queueFull, waitTooLong } from './client-error.js'
import type { Settings } from './client-options.js'
import { CoolDown } from './cool-down.js'
import { type Hold, longest, type WaitReason } from './hold.js'
import { tell } from './hooks.js'
import type { Flight } from './known-limit.js'
import { Pacer } from './pacer.js'
import { Queue, type Waiting } from './queue.js'
import { Ramp } from './ramp.js'
import { after } from './timer.js'

/** What a client knows of one scope, at this moment. */
export interface ScopeState {
  readonly scope: string
  /** Calls that wait for their turn. */
  readonly waiting: number
  /** Requests sent and not answered. */
  readonly inFlight: number
  /** What holds the next request back, and for how many milliseconds at most; `undefined`: nothing. */
  readonly hold: { readonly reason: WaitReason; readonly waitMs: number } | undefined
  /** The limits that the server told of. */
  readonly limits: readonly ParsedLimit[]
}

/** Everything that shares limits at a server, one origin by default: says when each of its requests may be sent. */
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

  /** Whether no call waits here, and none is in flight. */
  get unused(): boolean {
    return this.#queue.length === 0 && this.#flights.size === 0
  }

  /** Whether, beside that, nothing would hold the next call back: then there is nothing here worth keeping. */
  get idle(): boolean {
    return this.unused && this.#hold(this.#settings.now()) === undefined
  }

  /**
   * Fulfilled when this call may be sent. @throws (rejects) the signal's reason, or ClientError `RAIL_WAIT_TOO_LONG` as
   * soon as the server tells a wait above `maxWait`, `RAIL_QUEUE_FULL` where too many wait
   */
  turn(waiting: Waiting, isRetry: boolean): Promise<Flight> {
    const { call, signal } = waiting
    const { maxQueue } = this.#settings
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    const turn = this.#queue.enter(waiting, () => this.#pump())
    this.#pump()
    const ahead = this.#queue.indexOf(waiting)
    if (ahead >= maxQueue && !isRetry) this.#queue.stop(waiting, queueFull(call, this.#name, maxQueue))
    else if (ahead >= 0) this.#tellWait(call, ahead)
    return turn
  }

  /** A request was answered. Returns whether it was refused, so that nothing is sent for a while. */
  answered(flight: Flight, status: number, { limits, retryAfterMs, stale }: ParsedHeaders): boolean {
    const { now, pace } = this.#settings
    const [tick, at] = [this.#land(flight), now()]
    const refused = status === 429 || (retryAfterMs !== undefined && (status === 503 || status === 403))
    // Retry-After takes precedence over what the limits say (draft-11 section 7), so it is when they are asked again.
    const told = limits.map((limit) => (refused && limit.remaining === 0 ? resetAt(limit, retryAfterMs) : limit))
    if (pace && !stale) {
      if (told.length > 0) this.#pacer.learn(told, flight, tick, at)
      else if (status >= 500) this.#pacer.presumeSpent(tick)
    }
    if (refused) {
      const begins = this.#coolDown.start(retryAfterMs ?? (stale ? 0 : longestReset(told)), at)
      if (begins) this.#ramp.refused(this.#flights.size + 1, this.#coolDown.until)
    } else if (status < 500) {
      this.#coolDown.served(at)
      this.#ramp.served(pace && !stale && told.length > 0, at)
    }
    this.#pump()
    return refused
  }

  /** A request failed without an answer. It may have been counted. */
  failed(flight: Flight): void {
    this.#pacer.presumeSpent(this.#land(flight))
    this.#pump()
  }

  /** Milliseconds until the next request may go, as far as is known now. */
  waitMs(): number {
    const now = this.#settings.now()
    return Math.max(0, (this.#hold(now)?.until ?? now) - now)
  }

  /** How many of them the server told. */
  toldMs(): number {
    return this.#hold(this.#settings.now())?.toldMs ?? 0
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

  #tellWait(call: Call, ahead: number): void {
    const now = this.#settings.now()
    const hold = this.#hold(now)
    if (hold === undefined) return
    const { until, reason } = hold
    tell(this.#settings.onWait, { call, scope: this.#name, reason, waitMs: until - now, ahead })
  }

  /** Lets all go that may, and looks again when the next may. */
  #pump(): void {
    const { now, timer, maxWaitMs } = this.#settings
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    while (this.#queue.length > 0) {
      const at = now()
      const hold = this.#hold(at)
      if (hold === undefined) {
        this.#queue.release(this.#take(at))
      } else if (hold.toldMs > maxWaitMs) {
        const waitMs = hold.toldMs
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

/** A limit that is used up, and is asked again when the server says. */
function resetAt(limit: ParsedLimit, resetAfterMs: number | undefined): ParsedLimit {
  return resetAfterMs === undefined ? limit : { ...limit, resetAfterMs }
}

function longestReset(limits: readonly ParsedLimit[]): number {
  return Math.max(0, ...limits.map(({ remaining, resetAfterMs }) => (remaining === 0 ? (resetAfterMs ?? 0) : 0)))
}
