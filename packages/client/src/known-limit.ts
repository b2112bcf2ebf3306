import type { ParsedLimit } from '@rail/core/read'

/** A request in flight: sent, and not answered yet. */
export interface Flight {
  /** Its place in the order of all sends and answers of its scope. */
  readonly tick: number
  /** When it was sent, in milliseconds of the client's clock. */
  readonly sentAt: number
}

/** A request that was sent so many milliseconds ago has reached the server's limiter, even without a response yet. */
export const ARRIVAL_MS = 5_000

/** The reset of a limit that is sent without one, in milliseconds. */
const DEFAULT_RESET_MS = 1_000

interface Answer {
  /** Its place in the order of all sends and answers of the scope. */
  readonly tick: number
  readonly remaining: number
  readonly resetAt: number
}

/**
 * One limit of a server, from its answers. Answers arrive late and out of order, so the last to arrive is not always the last
 * that the server sent. The client uses the lowest remaining count among the answers that could be the last. Of two answers,
 * the first is certainly older if it arrived before the request of the second was sent.
 */
export class KnownLimit {
  /** The tokens of a full bucket; if the server does not send them, the most that ever remained. */
  quota = 1
  windowMs: number | undefined
  /** Whether it seems to refill steadily, as a bucket does, or at once, as a window does. */
  refills = false
  /** The time when the latest request was sent whose answer had this limit. */
  latestSentAt = Number.NEGATIVE_INFINITY
  readonly #name: string | undefined
  #latestSent = -1
  /** The answers that could be the server's last, with rising ticks and rising `remaining`: the first has the least. */
  readonly #answers: Answer[] = []

  constructor(name: string | undefined) {
    this.#name = name
  }

  /** An answer had this limit. */
  learn(parsed: ParsedLimit, flight: Flight, tick: number, now: number): void {
    const { remaining, windowMs, resetAfterMs = DEFAULT_RESET_MS } = parsed
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
   * A request ended without this limit in its answer: it may have been counted. At least one stays left until the server
   * sends less, so that a server that is unreachable for a short time does not look like one with a used-up quota.
   */
  presumeSpent(tick: number): void {
    const least = this.#answers[0]
    if (least !== undefined && least.remaining > 1) this.#add({ ...least, tick, remaining: least.remaining - 1 })
  }

  /** The time of its reset, in milliseconds of the client's clock. */
  get resetAt(): number {
    return this.#answers[0]?.resetAt ?? Number.NEGATIVE_INFINITY
  }

  /**
   * The requests that may still be sent, with those in flight. After the reset the server has more, but the number is not
   * known: then it is at least one, whose answer will report it.
   */
  leastLeft(now: number): number {
    const least = this.#answers[0]?.remaining ?? 0
    return now < this.resetAt ? least : Math.max(1, least)
  }

  /** Milliseconds between requests with `left` to send: 0 while there are plenty, then evenly until the reset. */
  interval(left: number, slot: number, now: number, reserve: number): number {
    if (now >= this.resetAt || left > reserve * this.quota) return 0
    const whole = this.resetAt - slot
    // A bucket refills while it is used. To spread its last tokens over the time until it is full would waste the new ones.
    // This is the bucket's own rate where the reserve begins, and slower below, so that several clients can share it.
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

  #add(answer: Answer): void {
    while (this.#answers.length > 0 && (this.#answers.at(-1) as Answer).remaining >= answer.remaining)
      this.#answers.pop()
    this.#answers.push(answer)
    while ((this.#answers[0] as Answer).tick < this.#latestSent) this.#answers.shift()
  }
}

/** Whether the reset is the time when an evenly refilled bucket would be full. The reset of a window does not depend on use. */
function refillsSteadily({ quota, windowMs, remaining, resetAfterMs }: ParsedLimit): boolean {
  if (quota === undefined || windowMs === undefined || resetAfterMs === undefined || remaining === 0) return false
  const perToken = windowMs / quota
  return Math.abs(resetAfterMs - (quota - remaining) * perToken) <= 1_000 + perToken
}
