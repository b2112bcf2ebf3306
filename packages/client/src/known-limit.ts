import type { ParsedLimit } from '@rail/core/read'

/** A request on its way: sent, and not answered yet. */
export interface Flight {
  /** Its place in the order of all sends and answers of its scope. */
  readonly tick: number
  /** When it was sent, in milliseconds of the client's clock. */
  readonly sentAt: number
}

/** A request sent so long ago, in milliseconds, has reached the server's limiter, even where its answer is still to come. */
export const ARRIVAL_MS = 5_000

/** A limit that says what remains, but not for how long, is asked again after so many milliseconds. */
const UNTOLD_RESET_MS = 1_000

interface Told {
  /** When the answer came, in the order of all sends and answers. */
  readonly tick: number
  readonly remaining: number
  readonly resetAt: number
}

/**
 * One limit of a server, as its answers tell of it. Answers come late and out of order, so the latest answer to come is
 * not always the latest that the server gave. What counts is the least that any answer told which the server may have
 * given last: of two answers, the first is known to be older when it came before the second's request was sent.
 */
export class KnownLimit {
  /** Tokens of a full bucket, as told; else the most that was ever seen. */
  quota = 1
  windowMs: number | undefined
  /** Whether it seems to refill steadily, as a bucket does, rather than at once, as a window does. */
  refills = false
  /** When the latest request was sent whose answer told of this limit. */
  latestSentAt = Number.NEGATIVE_INFINITY
  readonly #name: string | undefined
  #latestSent = -1
  /** Those that may be the server's last, with growing ticks and growing `remaining`: the first tells the least. */
  readonly #told: Told[] = []

  constructor(name: string | undefined) {
    this.#name = name
  }

  /** An answer told of this limit. */
  learn(parsed: ParsedLimit, flight: Flight, tick: number, now: number): void {
    const { remaining, windowMs, resetAfterMs = UNTOLD_RESET_MS } = parsed
    if (flight.tick > this.#latestSent) {
      this.#latestSent = flight.tick
      this.latestSentAt = flight.sentAt
    }
    this.quota = parsed.quota ?? Math.max(this.quota, remaining)
    this.windowMs = windowMs
    this.refills = refillsSteadily(parsed)
    this.#add({ tick, remaining, resetAt: now + resetAfterMs })
  }

  /**
   * A request ended without telling: it may have been counted. At least one is left until the server says otherwise, so
   * that a server which cannot be reached for a moment does not look like one whose quota is used up.
   */
  presumeSpent(tick: number): void {
    const least = this.#told[0]
    if (least !== undefined && least.remaining > 1) this.#add({ ...least, tick, remaining: least.remaining - 1 })
  }

  /** When what is known of it ends, in milliseconds of the client's clock. */
  get resetAt(): number {
    return this.#told[0]?.resetAt ?? Number.NEGATIVE_INFINITY
  }

  /**
   * Requests that may still be sent, before those in flight are taken off. Where the time has come at which the server
   * has more, but how much more is not known, it is at least one: its answer will tell.
   */
  leastLeft(now: number): number {
    const least = this.#told[0]?.remaining ?? 0
    return now < this.resetAt ? least : Math.max(1, least)
  }

  /** Milliseconds from one request to the next, with `left` to send: 0 as long as there are plenty, then evenly until the reset. */
  interval(left: number, slot: number, now: number, reserve: number): number {
    if (now >= this.resetAt || left > reserve * this.quota) return 0
    const whole = this.resetAt - slot
    // A bucket refills while it is used. To spread the last few over the time until it is full would waste what comes in;
    // this is its own rate where the reserve begins, and slower below, so that several clients of one bucket share it.
    const spread = this.refills && this.windowMs !== undefined ? Math.min(whole, reserve * this.windowMs) : whole
    return spread / (left + 1)
  }

  state(now: number): ParsedLimit {
    const { quota, windowMs } = this
    const known = { remaining: this.leastLeft(now), quota, resetAfterMs: Math.max(0, this.resetAt - now) }
    return {
      ...known,
      ...(this.#name === undefined ? {} : { name: this.#name }),
      ...(windowMs === undefined ? {} : { windowMs }),
    }
  }

  #add(told: Told): void {
    while (this.#told.length > 0 && (this.#told.at(-1) as Told).remaining >= told.remaining) this.#told.pop()
    this.#told.push(told)
    while ((this.#told[0] as Told).tick < this.#latestSent) this.#told.shift()
  }
}

/** Whether the reset is when a bucket would be full that refills evenly. A window's reset knows nothing of what is used. */
function refillsSteadily({ quota, windowMs, remaining, resetAfterMs }: ParsedLimit): boolean {
  if (quota === undefined || windowMs === undefined || resetAfterMs === undefined || remaining === 0) return false
  const perToken = windowMs / quota
  return Math.abs(resetAfterMs - (quota - remaining) * perToken) <= 1_000 + perToken
}
