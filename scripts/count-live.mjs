// Reads vitest's JSON report and prints how many tests passed against a live redis-server; none at all is a failure.
import { readFileSync } from 'node:fs'

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const live = testResults.filter(({ name }) => name.includes('/packages/redis/test/live/'))
const passed = live.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === 'passed')
console.log(`${passed.length} tests ran against a live redis-server`)
if (passed.length === 0) process.exitCode = 1
