import { expect } from 'vitest'
import type { ScenarioName } from '../scenarios/scenarios.js'
import type { Seen } from '../scenarios/seen.js'
import { CONTROL } from '../scenarios/stage.js'
import { type Answer, Wire, type WireRequest } from './wire.js'

/** A request, with the customer and the cost that the suite's headers name. */
export interface Visit extends WireRequest {
  /** The customer. @default 'acme' */
  readonly as?: string | undefined
  /** Sends no customer: an anonymous request. */
  readonly anonymous?: boolean
  readonly cost?: number | undefined
}

/** An app under test, at a URL. */
export class App {
  readonly #wire: Wire

  constructor(url: string) {
    this.#wire = new Wire(url)
  }

  /** Makes a fresh app of a scenario, its buckets full and its clock at 0. @throws Error when that fails */
  async open(scenario: ScenarioName): Promise<OpenScenario> {
    const fault = await this.faultOf(scenario)
    if (fault !== '') throw new Error(`scenario: expected an app of "${scenario}", got "${fault}".`)
    return new OpenScenario(this.#wire, scenario)
  }

  /** The error of making the app of a scenario; `''` if there was none. */
  async faultOf(scenario: ScenarioName): Promise<string> {
    const { body } = await this.#wire.request(`${CONTROL}open`, { headers: { 'x-scenario': scenario } })
    return body
  }

  close(): void {
    this.#wire.close()
  }
}

/** The app of one scenario, fresh. */
export class OpenScenario {
  readonly #wire: Wire
  readonly #scenario: ScenarioName

  constructor(wire: Wire, scenario: ScenarioName) {
    this.#wire = wire
    this.#scenario = scenario
  }

  /** One request. */
  get(path = '/', visit: Visit = {}): Promise<Answer> {
    return this.#wire.request(path, { ...visit, headers: this.#headers(visit) })
  }

  /** Sends equal requests one after the other. Resolves with their statuses. */
  async statuses(count: number, path = '/', visit: Visit = {}): Promise<number[]> {
    const statuses: number[] = []
    for (let index = 0; index < count; index++) statuses.push((await this.get(path, visit)).status)
    return statuses
  }

  /** Sends equal requests at the same time, each on its own connection. Resolves with their statuses, sorted. */
  async atOnce(count: number, path = '/', visit: Visit = {}): Promise<number[]> {
    const answers = await Promise.all(Array.from({ length: count }, () => this.get(path, visit)))
    return answers.map((answer) => answer.status).sort()
  }

  /** Sends requests on one socket before it reads the first answer. Resolves with all that came back. */
  pipeline(visits: readonly (Visit & { readonly path: string })[]): Promise<string> {
    return this.#wire.pipeline(visits.map((visit) => ({ ...visit, headers: this.#headers(visit) })))
  }

  /** Sends a request, and leaves after the first bytes of the response. */
  leave(path: string, visit: Visit = {}): Promise<void> {
    return this.#wire.leave(path, this.#headers(visit))
  }

  /** Sends a request and does not wait. */
  send(path: string, visit: Visit = {}): ReturnType<Wire['send']> {
    return this.#wire.send(path, this.#headers(visit))
  }

  /** Moves the app's clock. */
  async advance(ms: number): Promise<void> {
    await this.#control(`advance=${ms}`)
  }

  /** Settles the latest request that reached a handler, whether it has been answered or not. */
  async settle(cost: number): Promise<void> {
    await this.#control(`settle=${cost}`)
  }

  /** What the app has counted since it was made. */
  seen(): Promise<Seen> {
    return this.#control('seen')
  }

  /** Resolves when `count` requests wait for others in `identify`. */
  waiting(count: number): Promise<void> {
    return this.until((seen) => seen.waiting === count)
  }

  /** Resolves when the app has seen something. */
  async until(isSo: (seen: Seen) => boolean): Promise<void> {
    let seen: Seen | undefined
    for (let tries = 0; tries < 10_000; tries++) {
      seen = await this.seen()
      if (isSo(seen)) return
    }
    throw new Error(`seen: expected something else, got ${JSON.stringify(seen)}.`)
  }

  async #control(command: string): Promise<Seen> {
    const { status, body } = await this.#wire.request(CONTROL + command, { headers: { 'x-scenario': this.#scenario } })
    expect([command, status, body]).toEqual([command, 200, expect.stringMatching(/^{/)])
    return JSON.parse(body) as Seen
  }

  #headers({ as = 'acme', anonymous, cost, headers }: Visit): Record<string, string> {
    return {
      'x-scenario': this.#scenario,
      ...(anonymous === true ? {} : { 'x-customer': encodeURIComponent(as) }),
      ...(cost === undefined ? {} : { 'x-cost': String(cost) }),
      ...headers,
    }
  }
}
