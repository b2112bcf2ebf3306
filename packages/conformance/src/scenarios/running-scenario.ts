import { type LimiterOptions, type MaybePromise, manualClock, type Outcome, RailError, type Store } from '@rail/core'
import type { AppUnderTest, MadeLimiter, Route, Setup } from './app-under-test.js'
import { play } from './play.js'
import { answer, type Reply, replies } from './reply.js'
import type { Seen } from './seen.js'
import { type Scenario, type ScenarioMaker, toolsFor } from './tools.js'

/** One scenario's app, with counts of what happened in it. */
export class RunningScenario<Request, Response, Limiter extends MadeLimiter<Request>, App, Done> {
  /** Whether a request has been handed to the app. */
  used = false
  readonly #clock = manualClock()
  readonly #waiting: () => number
  readonly #framework: AppUnderTest<Request, Response, Limiter, App, Done>
  readonly #app: MaybePromise<App>
  readonly #fault: MaybePromise<unknown>
  #handled = 0
  #decisions = 0
  #passed = 0
  readonly #called: Record<string, number> = {}
  readonly #options: (readonly [given: object, copy: object])[] = []
  readonly #failed: string[] = []
  readonly #reported: string[] = []
  #latest: Outcome | undefined

  constructor(
    scenario: ScenarioMaker,
    framework: AppUnderTest<Request, Response, Limiter, App, Done>,
    makeStore?: () => Store,
  ) {
    this.#framework = framework
    const { tools, waiting } = toolsFor<Request>(framework, this.#clock, (name) => {
      this.#called[name] = (this.#called[name] ?? 0) + 1
    })
    this.#waiting = waiting
    ;[this.#app, this.#fault] = settled(() => framework.build(this.#setup(scenario(tools), makeStore)))
  }

  /** The app, for a request. */
  async enter(): Promise<App> {
    this.used = true
    return this.#app
  }

  /** Runs a command of the suite: `open`, `advance`, `settle`, `seen`. */
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
    const [handled, failed, reported, decisions] = [this.#handled, this.#failed, this.#reported, this.#decisions]
    const [passed, called, changed] = [this.#passed, this.#called, this.#options.flatMap(changedIn)]
    return { handled, failed, reported, decisions, passed, called, changed, waiting: this.#waiting() }
  }

  #setup(scenario: Scenario<Request>, makeStore?: () => Store): Setup<Request, Response, Limiter, Done> {
    const limiters = scenario.limiters.map((given) => {
      const options = { ...this.#hooks(), ...given, store: given.store ?? makeStore?.() }
      this.#options.push([options, { ...options }])
      return this.#framework.rateLimit(options)
    })
    const { mounts = [...limiters.keys()], routes = {} } = scenario
    const first = limiters[0] as Limiter
    const names = new Set([...Object.keys(replies), ...Object.keys(routes)])
    const all = [...names].map((name): Route<Request, Response, Limiter, Done> => {
      const [method, path] = name.split(' ') as [string, string]
      const options = routes[name]
      return {
        method: method.toLowerCase() as 'get' | 'post',
        path,
        before: () => (options === undefined ? [] : [first.with(options) as ReturnType<Limiter['with']>]),
        with: options,
        handle: (request, response) => play(this.#replyTo(request, name, limiters), response, this.#framework),
      }
    })
    const isNested = ({ path }: { path: string }): boolean => path.startsWith('/nested/')
    const nested = all.filter(isNested).map((route) => ({ ...route, path: route.path.slice('/nested'.length) }))
    const behind = (): void => {
      this.#passed++
    }
    return {
      limiters: mounts.map((index) => limiters[index] as Limiter),
      behind,
      routes: all.filter((route) => !isNested(route)),
      nested: { limiters: [first], behind, routes: nested },
      front: (response, next) => this.#front(scenario, response, next),
      missing: scenario.missing === true ? this.#missing(first) : undefined,
      failed: scenario.errorHandler === true ? (error, response) => this.#fail(error, response) : undefined,
    }
  }

  #missing(limiter: Limiter): Setup<Request, Response, Limiter, Done>['missing'] {
    return {
      before: () => [limiter.with({}) as ReturnType<Limiter['with']>],
      handle: (_request, response) => this.#framework.answer(response, answer('nothing here', 404)),
    }
  }

  #front<Next>({ upstream = {}, timeout }: Scenario<Request>, response: Response, next: () => Next): Next | Done {
    this.#framework.setFields(response, upstream)
    const gone = next()
    if (timeout !== true || this.#framework.isAnswered(response)) return gone
    // A later error is of no interest.
    Promise.resolve(gone).catch(() => {})
    return this.#framework.answer(response, answer('timeout', 504))
  }

  #replyTo(request: Request, name: string, limiters: readonly Limiter[]): Reply {
    this.#handled++
    this.#latest = this.#framework.rail(request)
    const of = limiters.map((limiter) => limiter.of(request))
    return replies[name]?.(this.#latest, of) ?? answer('ok')
  }

  #hooks(): Pick<LimiterOptions<Request>, 'clock' | 'onError' | 'onDecision'> {
    return {
      clock: this.#clock,
      onError: (error) => this.#reported.push(sentenceOf(error)),
      onDecision: () => {
        this.#decisions++
      },
    }
  }

  #fail(error: unknown, response: Response): Done {
    const sentence = sentenceOf(error)
    this.#failed.push(sentence)
    return this.#framework.answer(response, answer(sentence, 500))
  }
}

/** The names of the members of an object that are not those of its copy. */
function changedIn([object, copy]: readonly [object, object]): string[] {
  const [now, before] = [object, copy] as [Record<string, unknown>, Record<string, unknown>]
  return Object.keys({ ...now, ...before }).filter((name) => now[name] !== before[name])
}

/** A value, or the error of making it. A rejection that is not read must not end the process. */
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
