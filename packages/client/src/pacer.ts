import type { ParsedLimit } from '@rail/core/read'
import { type Hold, longest } from './hold.js'
import { ARRIVAL_MS, type Flight, KnownLimit } from './known-limit.js'

/** The options of {@link Pacer}. */
export interface PacerOptions {
  /** The part of a quota, 0 to 1, below which requests are spread over the time until its reset. */
  readonly reserve: number
  /** The longest wait for the sake of spreading, in milliseconds. A wait from the server may be longer. */
  readonly mostMs: number
}

/** The most limits of a server: the oldest are forgotten, so that a server with ever new names cannot fill the memory. */
const MOST_LIMITS = 32

/** Delays requests so that no limit of the server is exceeded, together with the requests in flight. */
export class Pacer {
  readonly #limits = new Map<string, KnownLimit>()
  readonly #reserve: number
  readonly #mostMs: number
  #lastSentAt = Number.NEGATIVE_INFINITY

  constructor({ reserve, mostMs }: PacerOptions) {
    this.#reserve = reserve
    this.#mostMs = mostMs
  }

  /** The limits of the server, with the requests left and the time until the reset, as of now. */
  state(now: number): readonly ParsedLimit[] {
    return Array.from(this.#limits.values(), (limit) => limit.state(now))
  }

  sent(now: number): void {
    this.#lastSentAt = now
  }

  learn(limits: readonly ParsedLimit[], flight: Flight, tick: number, now: number): void {
    for (const parsed of limits) this.#limitOf(parsed).learn(parsed, flight, tick, now)
  }

  presumeSpent(tick: number): void {
    for (const limit of this.#limits.values()) limit.presumeSpent(tick)
  }

  /** Why the next request waits, if it does. @param flights The requests in flight, oldest first. */
  hold(flights: ReadonlySet<Flight>, now: number): Hold | undefined {
    return longest(Array.from(this.#limits.values(), (limit) => this.#holdOf(limit, flights, now)))
  }

  #holdOf(limit: KnownLimit, flights: ReadonlySet<Flight>, now: number): Hold | undefined {
    const least = limit.leastLeft(now)
    const isReset = now >= limit.resetAt
    const left = least - sentAfter(flights, (isReset ? now : limit.latestSentAt) - ARRIVAL_MS)
    if (left >= 1) {
      const interval = limit.interval(left, this.#lastSentAt, now, this.#reserve)
      const until = this.#lastSentAt + Math.min(interval, this.#mostMs)
      return until > now ? { until, reason: 'pace', requiredMs: 0 } : undefined
    }
    const awaited = firstAfter(flights, now - ARRIVAL_MS)
    if (least >= 1 && awaited !== undefined)
      return { until: awaited.sentAt + ARRIVAL_MS, reason: 'answer', requiredMs: 0 }
    return { until: limit.resetAt, reason: 'limit', requiredMs: limit.resetAt - now }
  }

  /** Limits without a name are distinguished by their quota: such styles send one limit at a time, the tightest. */
  #limitOf({ name, quota }: ParsedLimit): KnownLimit {
    const key = name === undefined ? `#${quota}` : `"${name}"`
    const known = this.#limits.get(key)
    if (known !== undefined) return known
    const limit = new KnownLimit(name)
    this.#limits.set(key, limit)
    if (this.#limits.size > MOST_LIMITS) this.#limits.delete(this.#limits.keys().next().value as string)
    return limit
  }
}

/** The number of flights sent after a time. Few flights are old, so the old ones are counted. */
function sentAfter(flights: ReadonlySet<Flight>, time: number): number {
  let older = 0
  for (const flight of flights) {
    if (flight.sentAt > time) break
    older++
  }
  return flights.size - older
}

function firstAfter(flights: ReadonlySet<Flight>, time: number): Flight | undefined {
  for (const flight of flights) if (flight.sentAt > time) return flight
  return undefined
}
