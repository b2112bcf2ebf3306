// Writes copies until it is killed, and prints the number of each before it is written. Run by faults/copy-kills.test.ts.
import { writeSync } from 'node:fs'
import { writeCopy } from '../../src/in-force/disk-copy.js'
import { loadPlans } from '../../src/in-force/loaded-plans.js'

const [path = ''] = process.argv.slice(2)
const customers = Array.from({ length: 3_000 }, (_, index) => [`c${index}`, { plan: 'pro' }])
const document = { defaultPlan: null, plans: [['pro', { limits: { per_second: 50 } }]], customers }
const loaded = await loadPlans({ epoch: 'e', rev: 0, setting: 'each', servers: 1, ...document }, Date.now)
for (let rev = 1; ; rev++) {
  writeSync(1, `${rev}\n`)
  await writeCopy(path, { ...loaded, rev }, 'http://127.0.0.1/', 5)
}
