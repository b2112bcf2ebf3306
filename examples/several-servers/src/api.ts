// One of the four processes: an ordinary Express app whose plans come from the control plane.
import { rateLimit } from '@rail/express'
import { syncPlans } from '@rail/plans'
import express from 'express'

const { CONTROL_URL: url = '', SYNC_TOKEN: token = '', PORT } = process.env
const plans = syncPlans({ url, token, readyWithin: '1m' })
await plans.ready({ live: true })

const app = express()
app.use(rateLimit({ identify: (req) => req.get('x-customer') ?? null, limits: plans }))
app.get('/', (_req, res) => {
  res.send('hello\n')
})
const server = app.listen(Number(PORT), '127.0.0.1', () => process.send?.('listening'))

// A clean shutdown: no new connections, then the last report and a goodbye, so that the others' shares grow at once.
process.once('disconnect', async () => {
  server.close()
  await plans.close()
  process.exit(0)
})
