import { type TaskName, tasks } from './tasks.js'

// The entry of a fresh process: runs one task and prints its result.
const [name, input] = process.argv.slice(2) as [TaskName, string]
const task = tasks[name] as (input: unknown) => unknown
console.log(JSON.stringify(await task(JSON.parse(input))))
process.exit(0)
