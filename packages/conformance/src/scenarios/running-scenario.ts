import { type LimiterOptions, type MaybePromise, manualClock, type Outcome, RailError } from '@rail/core'
import { type AnswerReply, answer, type Handle, type Route, replies } from './reply.js'
import type { Seen, Setup } from './stage.js'
import { type Scenario, type ScenarioMaker, toolsFor } from './tools.js'

/** One scenario's app, and what has been seen in it. */
export class RunningScenario<Request, App> {
  /** Whether a request has been handed to the app. */
  used = false
  readonly #clock = manualClock()
  readonly #waiting: () => number
  readonly #app: MaybePromise<App>
  readonly #fault: MaybePromise<unknown>
  #handled = 0
  #decisions = 0
  readonly #failed: string[] = []
  readonly #told: string[] = []
  #latest: Outcome | undefined

  constructor(
    scenario: ScenarioMaker,
    header: (request: Request, name: string) => string | undefined,
    build: (setup: Setup<Request>) => MaybePromise<App>,
  ) {
    const { tools, waiting } = toolsFor(header, this.#clock)
    this.#waiting = waiting
    ;[this.#app, this.#fault] = settled(() => build(this.#setup(scenario(tools))))
  }

  /** The app, for a request. */
  async enter(): Promise<App> {
    this.used = true
    return this.#app
  }

  /** Does what the suite asks: `open`, `advance`, `settle`, `seen`. */
  async command(command: string, value: number): Promise<string> {
    if (command === 'open') return sentenceOf(await this.#fault)
    if (command === 'advance') this.#clock.advance(value)
    try {
      if (command === 'settle') this.#latest?.settle(value)
    } catch (error) {
      return `settle threw: ${sentenceOf(error)}`
    }
    return JSON.stringify(this.#seen())
  }

  #seen(): Seen {
    const [handled, failed, told, decisions] = [this.#handled, this.#failed, this.#told, this.#decisions]
    return { handled, failed, told, decisions, waiting: this.#waiting() }
  }

  #setup(scenario: Scenario<Request>): Setup<Request> {
    const { limiters, mounts = limiters.map((_, index) => index), routes = {}, upstream = {} } = scenario
    const names = new Set([...Object.keys(replies), ...Object.keys(routes)])
    const all = [...names].map((name): Route<Request> => {
      const [method, path] = name.split(' ') as ['GET' | 'POST', string]
      return { method, path, with: routes[name], handle: this.#counted(replies[name] ?? (() => answer('ok'))) }
    })
    const isNested = ({ path }: Route<Request>): boolean => path.startsWith('/nested/')
    return {
      limiters: limiters.map((options) => ({ ...this.#hooks(), ...options })),
      mounts,
      upstream,
      routes: all.filter((route) => !isNested(route)),
      nested: all.filter(isNested).map((route) => ({ ...route, path: route.path.slice('/nested'.length) })),
      failed: scenario.errorHandler === true ? (error) => this.#fail(error) : undefined,
      timeout: scenario.timeout === true ? answer('timeout', 504) : undefined,
    }
  }

  #counted(handle: Handle): Handle {
    return (rail, of) => {
      this.#handled++
      this.#latest = rail
      return handle(rail, of)
    }
  }

  #hooks(): Pick<LimiterOptions<Request>, 'clock' | 'onError' | 'onDecision'> {
    return {
      clock: this.#clock,
      onError: (error) => this.#told.push(sentenceOf(error)),
      onDecision: () => {
        this.#decisions++
      },
    }
  }

  #fail(error: unknown): AnswerReply {
    const sentence = sentenceOf(error)
    this.#failed.push(sentence)
    return answer(sentence, 500)
  }
}

/** A value or what making it failed with; a rejection that nobody asks about must not end the process. */
function settled<T>(make: () => MaybePromise<T>): [MaybePromise<T>, MaybePromise<unknown>] {
  try {
    const made = make()
    if (typeof made !== 'object' || made === null || !('then' in made)) return [made, undefined]
    const fault = Promise.resolve(made).then(
      () => undefined,
      (error) => error,
    )
    return [made, fault]
  } catch (error) {
    const failed = Promise.reject(error)
    failed.catch(() => {})
    return [failed, error]
  }
}

function sentenceOf(error: unknown): string {
  if (error === undefined) return ''
  return error instanceof RailError ? error.code : error instanceof Error ? error.message : String(error)
}
