/*
 * What the app under test does, for `testAdapter`: no Node, no vitest, so that it can be bundled for any runtime.
 */
import type { MaybePromise, Store } from '@rail/core'
import { answerScenarios } from './scenarios/answers.js'
import { countingScenarios } from './scenarios/counting.js'
import { failureScenarios } from './scenarios/failures.js'
import { type Setup, type Stage, stageOf } from './scenarios/stage.js'
import type { ScenarioMaker } from './scenarios/tools.js'

export type { AnswerReply, Handle, Reply, Route } from './scenarios/reply.js'
export type { Entered, Seen, Setup, Stage } from './scenarios/stage.js'
export type { Scenario, ScenarioMaker, Tools } from './scenarios/tools.js'

/** The name of a scenario, as the suite sends it in `x-scenario`. */
export type ScenarioName = keyof typeof countingScenarios | keyof typeof answerScenarios | keyof typeof failureScenarios

/** All scenarios, by name. */
export const scenarios: Readonly<Record<ScenarioName, ScenarioMaker>> = {
  ...countingScenarios,
  ...answerScenarios,
  ...failureScenarios,
}

/**
 * Makes the apps under test, one for each scenario.
 *
 * @param header How the framework's request is asked for a header field, by its lower-case name.
 * @param build Makes the app of one scenario with the framework and the adapter: anything that requests can be given to.
 * @param makeStore Makes the store of a limiter whose scenario names none: an empty one, that takes the `now` it is given
 * as the time. @default the limiter's own, in memory
 */
export function createStage<Request, App>(
  header: (request: Request, name: string) => string | undefined,
  build: (setup: Setup<Request>) => MaybePromise<App>,
  makeStore?: () => Store,
): Stage<App> {
  if (makeStore === undefined) return stageOf(scenarios, header, build)
  return stageOf<Request, App>(scenarios, header, (setup) =>
    build({
      ...setup,
      limiters: setup.limiters.map((options) => ({ ...options, store: options.store ?? makeStore() })),
    }),
  )
}
