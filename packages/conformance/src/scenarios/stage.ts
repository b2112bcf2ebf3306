import type { LimiterOptions, MaybePromise } from '@rail/core'
import type { AnswerReply, Route } from './reply.js'
import { RunningScenario } from './running-scenario.js'
import type { ScenarioMaker } from './tools.js'

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
  const make = (name: string) => new RunningScenario(scenarios[name] as ScenarioMaker, header, build)
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
