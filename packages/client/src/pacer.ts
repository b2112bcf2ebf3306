import type { ParsedLimit } from '@rail/core/read'
import { type Hold, longest } from './hold.js'
import { ARRIVAL_MS, type Flight, KnownLimit } from './known-limit.js'

/** How a pacer spreads requests. */
export interface PacerOptions {
  /** The part of a quota, 0 to 1, below which requests are spread over the time until its reset. */
  readonly reserve: number
  /** The longest that requests are held to be spread, in milliseconds; what a server tells is kept however long. */
  readonly mostMs: number
}

/** A server that names ever new limits must not fill the memory: the oldest beyond so many are forgotten. */
const MOST_LIMITS = 32

/** Holds requests so that no limit that the server told of is passed, whatever is still in flight. */
export class Pacer {
  readonly #limits = new Map<string, KnownLimit>()
  readonly #reserve: number
  readonly #mostMs: number
  #lastSentAt = Number.NEGATIVE_INFINITY

  constructor({ reserve, mostMs }: PacerOptions) {
    this.#reserve = reserve
    this.#mostMs = mostMs
  }

  /** The limits as the server told them, with what is left and how long it has to last by now. */
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

  /** What holds the next request back, if anything does. @param flights Those in flight, oldest first. */
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
      return until > now ? { until, reason: 'pace', toldMs: 0 } : undefined
    }
    const awaited = firstAfter(flights, now - ARRIVAL_MS)
    if (least >= 1 && awaited !== undefined) return { until: awaited.sentAt + ARRIVAL_MS, reason: 'answer', toldMs: 0 }
    return { until: limit.resetAt, reason: 'limit', toldMs: limit.resetAt - now }
  }

  /** A limit without a name is told apart by its quota: such styles tell one limit at a time, whichever is tightest. */
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

/** How many were sent after a moment. Few flights are old, so those are counted. */
function sentAfter(flights: ReadonlySet<Flight>, moment: number): number {
  let older = 0
  for (const flight of flights) {
    if (flight.sentAt > moment) break
    older++
  }
  return flights.size - older
}

function firstAfter(flights: ReadonlySet<Flight>, moment: number): Flight | undefined {
  for (const flight of flights) if (flight.sentAt > moment) return flight
  return undefined
}
