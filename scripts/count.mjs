// Reads vitest's JSON report and prints `passed failed`. A test file that failed to load counts as one failed test.
import { readFileSync } from 'node:fs'

const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const unloaded = testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
)
console.log(numPassedTests, numFailedTests + unloaded.length)
