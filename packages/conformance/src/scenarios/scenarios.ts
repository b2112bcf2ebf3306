import { answerScenarios } from './answers.js'
import { appScenarios } from './apps.js'
import { countingScenarios } from './counting.js'
import { failureScenarios } from './failures.js'
import type { ScenarioMaker } from './tools.js'

/** The name of a scenario, as the suite sends it in `x-scenario`. */
export type ScenarioName =
  | keyof typeof countingScenarios
  | keyof typeof answerScenarios
  | keyof typeof failureScenarios
  | keyof typeof appScenarios

/** All scenarios, by name. */
export const scenarios: Readonly<Record<ScenarioName, ScenarioMaker>> = {
  ...countingScenarios,
  ...answerScenarios,
  ...failureScenarios,
  ...appScenarios,
}
