import { type Outcome, perMinute, preflights, rateLimit } from '@rail/hono'
import { Hono } from 'hono'
import { type ApplyGlobalResponse, hc } from 'hono/client'

type Env = { Variables: { customer: string } }

const limiter = rateLimit<Env>({ identify: (c) => c.var.customer, limits: [perMinute(300)], skip: preflights })
const app = new Hono<Env>()
  .use(limiter)
  .get('/v1/links', limiter.with({ cost: 10 }), (c) => {
    const outcome: Outcome | undefined = c.var.rail
    // @ts-expect-error: no limiter may have run.
    c.var.rail.settle(1)
    limiter.of(c)?.settle(2)
    return c.json({ allowed: outcome?.decision?.allowed ?? false }, 200)
  })
  .get('/v1/health', (c) => c.json({ ok: true }, 200))

/** The client knows the refusals of a route that has the limiter itself. */
const listed = await hc<typeof app>('http://localhost').v1.links.$get()
if (listed.status === 429) {
  const body: unknown = await listed.json()
  console.log(body, listed.headers.get('retry-after'))
} else if (listed.status === 200) {
  const allowed: boolean = (await listed.json()).allowed
  console.log(allowed)
} else {
  const others: 422 | 503 = listed.status
  console.log(others)
}

/** Of a limiter by `use` it is told. */
type Limited = ApplyGlobalResponse<typeof app, { 429: { json: { error: string } } }>
const health = await hc<Limited>('http://localhost').v1.health.$get()
if (health.status === 429) console.log((await health.json()).error.length)
else console.log((await health.json()).ok)
// @ts-expect-error: no such value.
limiter.with({ cost: '10' })
