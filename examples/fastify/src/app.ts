import { addressKey, type Clock, limit, perMinute, perSecond, rateLimit } from '@rail/fastify'
import { apiKeys, hashKey } from '@rail/keys'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'

/** What each plan may do. `counts: 'requests'` limits how often; the other limit counts what the answers cost. */
export const plans = {
  free: [perSecond(10, { counts: 'requests' }), limit({ name: 'model_tokens', tokens: 9_000, per: '1m' })],
  pro: [perSecond(50, { counts: 'requests' }), limit({ name: 'model_tokens', tokens: 90_000, per: '1m' })],
}

interface Customer {
  readonly id: string
  readonly plan: keyof typeof plans
}

/** Demo keys; a real API looks hashes up in its database. */
const customers: Record<string, Customer> = {
  [hashKey('key_free')]: { id: 'acme', plan: 'free' },
  [hashKey('key_pro')]: { id: 'globex', plan: 'pro' },
}

/** An API that sells answers of a language model, whose cost is known only afterwards. */
export async function createApp(options: { clock?: Clock } = {}): Promise<FastifyInstance> {
  const keys = apiKeys<Customer, FastifyRequest>({ keys: customers, address: (request) => addressKey(request.ip) })
  const app = Fastify()
  app.get('/', { config: { rail: false } }, async () => 'POST /v1/complete with a key')

  await app.register(async (api) => {
    api.addHook('onRequest', keys.fastify)
    await api.register(rateLimit, {
      identify: (request) => keys.of(request).id,
      limits: (_id, request) => plans[keys.of(request).plan],
      ...options,
    })
    // A guess is charged before the work, and corrected after it: the difference moves, and a debt is waited off.
    api.post<{ Body: { prompt: string } }>('/v1/complete', { config: { rail: { cost: 500 } } }, async (request) => {
      const { text, tokens } = complete(request.body.prompt)
      request.rail?.settle(tokens)
      return { text, tokens }
    })
    // Writes have a tighter limit of their own, beside the plan's. All routes of the scope share it.
    const writes = { scope: 'writes', limits: [perMinute(20)] }
    api.put('/v1/prompts/:name', { config: { rail: writes } }, async () => ({ saved: true }))
    api.delete('/v1/prompts/:name', { config: { rail: writes } }, async () => ({ deleted: true }))
  })
  return app
}

/** Stands for the model: a word is a token, and it says everything twice. */
function complete(prompt: string): { text: string; tokens: number } {
  const words = prompt.split(/\s+/).filter(Boolean)
  return { text: [...words, ...words].join(' '), tokens: words.length * 3 }
}
