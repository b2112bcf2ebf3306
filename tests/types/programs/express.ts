import { type Outcome, perMinute, preflights, rateLimit } from '@rail/express'
import express from 'express'

const limiter = rateLimit({
  identify: (req) => req.get('x-customer') ?? null,
  limits: [perMinute(300)],
  skip: preflights,
  store: undefined,
})
const app = express()
app.use(limiter)
app.get('/v1/links/:id', limiter.with({ cost: 10 }), (req, res) => {
  const id: string = req.params.id
  const outcome: Outcome | undefined = req.rail
  // @ts-expect-error: no limiter may have run.
  req.rail.settle(1)
  limiter.of(req)?.settle(2)
  res.json({ id, allowed: outcome?.decision?.allowed })
})
app.post<{ id: string }, { ok: boolean }, { text: string }>('/v1/links/:id', limiter, (req, res) => {
  res.json({ ok: req.body.text === req.params.id })
})
// @ts-expect-error: no such value.
limiter.with({ cost: '10' })
