import type { AddressInfo } from 'node:net'
import { syncPlans } from '@rail/plans'
import { createApp, demoKeys } from './app.js'
import { startDemoControl } from './demo-control.js'
import { plans } from './plans.js'

const control = await startDemoControl(plans)
const synced = syncPlans({ url: control.url, token: control.syncToken, readyWithin: '1m' })
// Without it the first requests might come before the limits.
await synced.ready({ live: true })

const server = createApp({ limits: synced }).listen(Number(process.env.PORT ?? 3000), (error) => {
  if (error) throw error
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const curl = `curl -H "Authorization: Bearer ${demoKeys.acme}"`
  console.log(`Listening on ${url}. Paste one of these into another terminal:

  ${curl} -i ${url}/v1/hello
  ${curl} -s -o /dev/null -w "%{http_code}\\n" "${url}/v1/hello?n=[1-15]"

The first shows where a customer of the free plan stands; the second asks 15 times in a row: 10 are let in,
and one more for each tenth of a second that it takes; the rest are 429.

The plans come from a control plane at ${control.url}. This gives acme 50 per second for an hour; two seconds later
all 15 are let in:

  npm run -s control -- ${control.raise.join(' ')}`)
})

async function end(): Promise<void> {
  server.close()
  await synced.close()
  await control.close()
  process.exit(0)
}
process.once('SIGINT', end)
process.once('SIGTERM', end)
