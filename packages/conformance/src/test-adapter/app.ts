import { expect } from 'vitest'
import type { ScenarioName } from '../scenarios/scenarios.js'
import type { Seen } from '../scenarios/seen.js'
import { CONTROL } from '../scenarios/stage.js'
import { type Answer, type Ask, Wire } from './wire.js'

/** What the suite says of a request, beside what HTTP does. */
export interface Visit extends Ask {
  /** Who asks. @default 'acme' */
  readonly as?: string | undefined
  /** Names nobody: an anonymous request. */
  readonly anonymous?: boolean
  readonly cost?: number | undefined
}

/** An app under test, at a URL. */
export class App {
  readonly #wire: Wire

  constructor(url: string) {
    this.#wire = new Wire(url)
  }

  /** Makes the app of a scenario anew, its buckets full and its clock at 0. @throws Error when it cannot be made */
  async open(scenario: ScenarioName): Promise<OpenScenario> {
    const fault = await this.faultOf(scenario)
    if (fault !== '') throw new Error(`The app of scenario ${scenario} could not be made: ${fault}`)
    return new OpenScenario(this.#wire, scenario)
  }

  /** What making the app of a scenario failed with; `''` if it did not. */
  async faultOf(scenario: ScenarioName): Promise<string> {
    const { body } = await this.#wire.ask(`${CONTROL}open`, { headers: { 'x-scenario': scenario } })
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
    return this.#wire.ask(path, { ...visit, headers: this.#headers(visit) })
  }

  /** So many equal requests one after the other: their statuses. */
  async statuses(count: number, path = '/', visit: Visit = {}): Promise<number[]> {
    const statuses: number[] = []
    for (let index = 0; index < count; index++) statuses.push((await this.get(path, visit)).status)
    return statuses
  }

  /** So many equal requests at the same time, on connections of their own: their statuses, sorted. */
  async atOnce(count: number, path = '/', visit: Visit = {}): Promise<number[]> {
    const answers = await Promise.all(Array.from({ length: count }, () => this.get(path, visit)))
    return answers.map((answer) => answer.status).sort()
  }

  /** Requests on one socket, all sent before the first answer is read: the text that came back. */
  pipeline(visits: readonly (Visit & { readonly path: string })[]): Promise<string> {
    return this.#wire.pipeline(visits.map((visit) => ({ ...visit, headers: this.#headers(visit) })))
  }

  /** A request whose client leaves after the first bytes of the response. */
  leave(path: string, visit: Visit = {}): Promise<void> {
    return this.#wire.leave(path, this.#headers(visit))
  }

  /** A request that is not waited for. */
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

  /** What has been seen in the app. */
  seen(): Promise<Seen> {
    return this.#control('seen')
  }

  /** Comes back when so many requests wait for others in `identify`. */
  async waiting(count: number): Promise<void> {
    for (let asked = 0; asked < 10_000; asked++) if ((await this.seen()).waiting === count) return
    throw new Error(`${count} requests never came to wait in identify`)
  }

  async #control(command: string): Promise<Seen> {
    const { status, body } = await this.#wire.ask(CONTROL + command, { headers: { 'x-scenario': this.#scenario } })
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
