// Reads vitest's JSON reports and prints for each how many tests passed against a live redis-server. Fails if one has none.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

for (const path of process.argv.slice(2)) {
  const { testResults } = JSON.parse(readFileSync(path, 'utf8'))
  const live = testResults.filter(({ name }) => /\/packages\/redis\/test\/(?:live|faults)\//.test(name))
  const passed = live.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === 'passed')
  console.log(`${basename(path, '.json')}: ${passed.length} tests passed against a live redis-server`)
  if (passed.length === 0) process.exitCode = 1
}
