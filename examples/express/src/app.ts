import {
  addressKey,
  type Clock,
  createPlanBook,
  type LimitSource,
  MemoryStore,
  perMinute,
  rateLimit,
  type Store,
} from '@rail/express'
import { apiKeys, hashKey } from '@rail/keys'
import express, { type Express, type Request } from 'express'
import { plans } from './plans.js'

/** Keys to paste. A real service shows a key once, when it is made, and stores its hash only. */
export const demoKeys = { acme: 'demo_free_acme', globex: 'demo_pro_globex' }

/** What the app is made with. */
export interface AppOptions {
  /** Where limits come from. @default the plans in `plans.ts` */
  readonly limits?: LimitSource
  /** Where the customers' buckets live. @default a new MemoryStore */
  readonly store?: Store
  /** For tests. @default monotonic */
  readonly clock?: Clock
}

/** The API: two routes of different cost, one that writes, and a limiter in front of them. */
export function createApp({
  limits = createPlanBook(plans),
  store = new MemoryStore(),
  clock,
}: AppOptions = {}): Express {
  // 401 for unknown keys, before any limiter: they make no bucket. An address that guesses is slowed down.
  const keys = apiKeys({
    keys: { [hashKey(demoKeys.acme)]: { id: 'acme' }, [hashKey(demoKeys.globex)]: { id: 'globex' } },
    address: (req: Request) => addressKey(req.ip),
    clock,
  })

  const limiter = rateLimit({ identify: (req) => keys.of(req).id, limits, store, clock })

  // A limit that is only being tried out: it counts and tells, and refuses nobody.
  const trial = rateLimit({
    identify: (req) => keys.of(req).id,
    limits: [perMinute(200, { name: 'trial' })],
    store,
    scope: 'trial',
    dryRun: true,
    onDecision: ({ allowed }, req) => {
      if (!allowed) console.log(`a limit of 200 per minute would refuse ${keys.of(req).id}`)
    },
    clock,
  })

  const v1 = express.Router()
  v1.use(keys.express, trial, limiter)
  v1.get('/hello', (req, res) => {
    res.json({ hello: keys.of(req).id })
  })
  // Takes 10 of each limit instead of 1.
  v1.get('/report', limiter.with({ cost: 10 }), (_req, res) => {
    res.json({ report: 'long' })
  })
  // Held by the plan's limits for writes, beside its usual ones.
  v1.post('/notes', limiter.with({ scope: 'writes' }), (_req, res) => {
    res.status(201).json({ note: 'written' })
  })

  const app = express()
  // Behind a proxy: app.set('trust proxy', <its address>), or req.ip is the proxy's, for everybody.
  app.get('/', (_req, res) => {
    res.type('text').send('GET /v1/hello, GET /v1/report (cost 10), POST /v1/notes (a tighter limit for writes)\n')
  })
  app.use('/v1', v1)
  return app
}
