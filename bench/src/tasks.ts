import { bytesTask } from './tasks/bytes.js'
import { garbageTask } from './tasks/garbage.js'
import { headersTask } from './tasks/headers.js'
import { holdTask } from './tasks/hold.js'
import { madeLimitsTask } from './tasks/made-limits.js'
import { pairTask } from './tasks/pair.js'
import { requestGarbageTask } from './tasks/request-garbage.js'
import { throughputTask } from './tasks/throughput.js'

/** What a fresh process can be asked to measure. */
export const tasks = {
  pair: pairTask,
  bytes: bytesTask,
  hold: holdTask,
  garbage: garbageTask,
  headers: headersTask,
  'made limits': madeLimitsTask,
  'request garbage': requestGarbageTask,
  throughput: throughputTask,
}

export type TaskName = keyof typeof tasks
export type TaskInput<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[0]
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<(typeof tasks)[Name]>>
