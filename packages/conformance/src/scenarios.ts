/*
 * The app under test of `testAdapter`. It needs neither Node nor vitest, so that it can be bundled for any runtime.
 */
export type { AppUnderTest, Limited, MadeLimiter, Route, Setup } from './scenarios/app-under-test.js'
export { type Fetch, fetchFor, readableStreamOf } from './scenarios/fetch-for.js'
export type { Answer, ChunkedReply } from './scenarios/reply.js'
export { type ScenarioName, scenarios } from './scenarios/scenarios.js'
export type { Seen } from './scenarios/seen.js'
export { createStage, type Entered, type Stage } from './scenarios/stage.js'
export type { Scenario, ScenarioMaker, Tools } from './scenarios/tools.js'
