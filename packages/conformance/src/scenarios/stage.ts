import type { Store } from '@rail/core'
import type { AppUnderTest, MadeLimiter } from './app-under-test.js'
import { RunningScenario } from './running-scenario.js'
import { type ScenarioName, scenarios } from './scenarios.js'

/** The apps of all scenarios. */
export interface Stage<App> {
  /**
   * Sends a request to the app of a scenario, by its URL and its header `x-scenario`. The suite's own requests (to move the
   * clock, …) reach no app: `text` answers them, with status 200.
   */
  enter(url: string, scenario: string | undefined): Promise<Entered<App>>
}

/** See {@link Stage}. */
export type Entered<App> =
  | { readonly app: App; readonly text?: undefined }
  | { readonly app?: undefined; readonly text: string }

/** The start of the paths of the suite's own requests. */
export const CONTROL = '/__rail/'

/**
 * Makes the apps of all scenarios at once, and one again where the suite opens it.
 *
 * @param makeStore Makes the store of a limiter whose scenario names none: an empty one, whose time is the `now` of each
 * call. @default the limiter's own, in memory
 */
export function createStage<Request, Response, Limiter extends MadeLimiter<Request>, App, Done>(
  app: AppUnderTest<Request, Response, Limiter, App, Done>,
  makeStore?: () => Store,
): Stage<App> {
  const make = (name: string) => new RunningScenario(scenarios[name as ScenarioName], app, makeStore)
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
