import { type LimiterOptions, type MaybePromise, manualClock, type Outcome, RailError } from '@rail/core'
import { type AnswerReply, answer, type Handle, type Route, replies } from './reply.js'
import { type Scenario, type ScenarioMaker, toolsFor } from './tools.js'

/** What the app of one scenario is made of. */
export interface Setup<Request> {
  /** The options of the adapter's limiters. */
  readonly limiters: readonly LimiterOptions<Request>[]
  /** Which limiters are mounted in front of every route, one after the other; one may be mounted twice. */
  readonly mounts: readonly number[]
  /** Header fields that a middleware in front of the limiters sets on every response. */
  readonly upstream: Readonly<Record<string, string>>
  readonly routes: readonly Route<Request>[]
  /** Routes of a router (a plugin, a sub-app) of its own under `/nested`, on which the first limiter is mounted once more. */
  readonly nested: readonly Route<Request>[]
  /** What an error handler of the app's own answers with; `undefined`: the framework's own error handler stays. */
  readonly failed: ((error: unknown) => AnswerReply) | undefined
  /** What a middleware in front of everything answers with, at once, where what it wraps has not answered by then. */
  readonly timeout: AnswerReply | undefined
}

/** The apps of all scenarios. */
export interface Stage<App> {
  /**
   * Where a request goes, by its URL and its field `x-scenario`: to the app of a scenario, or, where it is the suite's own
   * (to move the clock, …), nowhere: `text` answers it, with status 200.
   */
  enter(url: string, scenario: string | undefined): Promise<Entered<App>>
}

/** See {@link Stage}. */
export type Entered<App> =
  | { readonly app: App; readonly text?: undefined }
  | { readonly app?: undefined; readonly text: string }

/** What has been seen in the app of a scenario since it was made, as the suite reads it. */
export interface Seen {
  /** How often a handler ran. */
  readonly handled: number
  /** What reached the app's error handler: codes of RailErrors, messages of others. */
  readonly failed: readonly string[]
  /** What `onError` was told, likewise. */
  readonly told: readonly string[]
  /** How often `onDecision` was told. */
  readonly decisions: number
  /** How many requests wait for others in `identify`. */
  readonly waiting: number
}

/** What the suite's own requests begin with. */
export const CONTROL = '/__rail/'

/**
 * Makes the apps of a table of scenarios, all at once, and again where the suite asks for a fresh one.
 *
 * @param scenarios The table.
 * @param header How the framework's request is asked for a header field, by its lower-case name.
 * @param build Makes one app.
 */
export function stageOf<Request, App>(
  scenarios: Readonly<Record<string, ScenarioMaker>>,
  header: (request: Request, name: string) => string | undefined,
  build: (setup: Setup<Request>) => MaybePromise<App>,
): Stage<App> {
  const make = (name: string): Running<Request, App> => new Running(scenarios[name] as ScenarioMaker, header, build)
  const running = new Map(Object.keys(scenarios).map((name) => [name, make(name)]))
  return {
    async enter(url, name = '') {
      let found = running.get(name)
      if (found === undefined) return { text: `no scenario ${name}` }
      const at = url.indexOf(CONTROL)
      if (at === -1) return { app: await found.enter() }
      const [command, value] = url.slice(at + CONTROL.length).split('=')
      if (command === 'open' && found.used) {
        found = make(name)
        running.set(name, found)
      }
      return { text: await found.command(command as string, Number(value)) }
    },
  }
}

/** One scenario's app, and what has been seen in it. */
class Running<Request, App> {
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

  async enter(): Promise<App> {
    this.used = true
    return this.#app
  }

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
