// A real API: Express, the limiter, and plans from the control plane, in a process of its own.
import type { AddressInfo } from 'node:net'
import { rateLimit } from '@rail/express'
import { syncPlans } from '@rail/plans'
import express from 'express'

const { CONTROL_URL: url = '', SYNC_TOKEN: token = '' } = process.env
const plans = syncPlans({ url, token, readyWithin: '60s' })
await plans.ready({ live: true })

const app = express()
app.use(rateLimit({ identify: (req) => req.get('x-customer') ?? null, limits: plans }))
app.get('/', (_req, res) => {
  res.end('hello')
})
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('disconnect', () => process.exit(0))
