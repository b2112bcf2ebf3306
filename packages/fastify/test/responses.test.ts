import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import { manualClock, perMinute, type RateLimitOptions, rateLimit } from '../src/index.js'

// What only Fastify has; what all adapters share is tested by testAdapter.

const STATE = '"per_minute";r=4;t=12'

async function limited(build: (app: FastifyInstance) => unknown, more: Partial<RateLimitOptions> = {}) {
  const app = Fastify()
  const given = { identify: () => 'acme', limits: [perMinute(5)], clock: manualClock(), ...more }
  await app.register(rateLimit, given as RateLimitOptions)
  await build(app)
  return app
}

describe('the fields are on', () => {
  test.each<readonly [string, number, string, (app: FastifyInstance) => unknown]>([
    [
      'server-sent events that are written to reply.raw without hijack()',
      200,
      '/',
      (app) =>
        app.get('/', async (_request, reply) => {
          reply.raw.writeHead(200, { 'Content-Type': 'text/event-stream' }).end('data: one\n\n')
          return reply
        }),
    ],
    [
      'what is written to reply.raw by setHeader, after hijack()',
      200,
      '/',
      (app) =>
        app.get('/', (_request, reply) => {
          reply.hijack()
          reply.raw.setHeader('Content-Type', 'text/event-stream')
          reply.raw.end('data: one\n\n')
        }),
    ],
    [
      'what is written through a Proxy of reply.raw',
      200,
      '/',
      (app) =>
        app.get('/', (_request, reply) => {
          reply.hijack()
          const proxy = new Proxy(reply.raw, {})
          proxy.writeHead(200)
          reply.raw.end('ok')
        }),
    ],
    [
      "a 404 of a child's own handler",
      404,
      '/child/missing',
      (app) =>
        app.register(
          async (child) => child.setNotFoundHandler(async (_request, reply) => reply.code(404).send('nothing here')),
          { prefix: '/child' },
        ),
    ],
    [
      'a refusal by schema',
      400,
      '/',
      (app) =>
        app.get(
          '/',
          { schema: { querystring: { type: 'object', required: ['page'], properties: { page: { type: 'string' } } } } },
          async () => 'ok',
        ),
    ],
    [
      'a reply by an error handler of a child',
      418,
      '/',
      (app) =>
        app.register(async (child) => {
          child.setErrorHandler(async (_error, _request, reply) => reply.code(418).send('tea'))
          child.get('/', async () => {
            throw new Error('no')
          })
        }),
    ],
  ])('%s', async (_, status, url, build) => {
    const app = await limited(build)
    const response = await app.inject(url)
    expect([response.statusCode, response.headers.ratelimit]).toEqual([status, STATE])
  })
})

test('a hook of onSend is given the body of a refusal as text, and what it makes of it is sent', async () => {
  const given: unknown[] = []
  const app = await limited((limited) => limited.get('/', async () => 'ok'), { limits: [perMinute(1)] })
  app.addHook('onSend', async (_request, _reply, body) => {
    given.push(body)
    return typeof body === 'string' ? body.toUpperCase() : body
  })
  await app.inject('/')
  const { headers, body } = await app.inject('/')
  expect([given[1], headers['content-type'], body]).toEqual([
    '{"error":"rate_limited","retry_after":60}',
    'application/json',
    '{"ERROR":"RATE_LIMITED","RETRY_AFTER":60}',
  ])
})

test('a request whose body cannot be parsed is counted before, by hook onRequest, and not by preHandler', async () => {
  for (const [hook, state] of [
    ['onRequest', STATE],
    ['preHandler', undefined],
  ] as const) {
    const app = await limited((app) => app.post('/', async () => 'ok'), { hook })
    const headers = { 'content-type': 'application/json' }
    const response = await app.inject({ method: 'POST', url: '/', payload: '{', headers })
    expect([hook, response.statusCode, response.headers.ratelimit]).toEqual([hook, 400, state])
  }
})

test('limits of a route in a child are counted under its whole URL pattern, and HEAD of its own shares them', async () => {
  const rail = { limits: [perMinute(3)] }
  const app = await limited((app) =>
    app.register(
      async (child) => {
        child.head('/items/:id', { config: { rail } }, async () => '')
        child.get('/items/:id', { config: { rail } }, async () => 'ok')
      },
      { prefix: '/v1' },
    ),
  )
  await app.inject({ method: 'HEAD', url: '/v1/items/1' })
  const { headers } = await app.inject('/v1/items/2')
  expect(headers.ratelimit).toBe('"per_minute";r=3;t=24, "/v1/items/:id.per_minute";r=1;t=40')
})

test('what identify, limits and cost throw passes through setErrorHandler, of a child too, and spends nothing', async () => {
  const failing = (): never => {
    throw new Error('no database')
  }
  for (const wrong of [{ identify: failing }, { limits: failing }, { cost: failing }, { skip: failing }]) {
    let broken = true
    const [[name, fail]] = Object.entries(wrong) as [[string, () => never]]
    const usual: Record<string, () => unknown> = {
      identify: () => 'acme',
      limits: () => [perMinute(5)],
      cost: () => 1,
      skip: () => false,
    }
    const app = await limited(
      (app) =>
        app.register(async (child) => {
          child.setErrorHandler(async (error: Error, _request, reply) => reply.code(503).send({ told: error.message }))
          child.get('/', async () => 'ok')
        }),
      { ...(usual as object), [name]: () => (broken ? fail() : usual[name]?.()) },
    )
    const failed = await app.inject('/')
    expect([name, failed.statusCode, failed.json()]).toEqual([name, 503, { told: 'no database' }])
    broken = false
    expect((await app.inject('/')).headers.ratelimit).toBe(STATE)
  }
})

test('a refused request reaches no later hook, its body is not parsed, and the hooks of its route stay as they are', async () => {
  const ran: string[] = []
  const hook = (name: string) => async () => void ran.push(name)
  const app = await limited(
    (limited) => {
      limited.addContentTypeParser('text/plain', async () => void ran.push('parser'))
      const hooks = {
        onRequest: hook('onRequest'),
        preValidation: [hook('one'), hook('two')],
        preHandler: hook('three'),
      }
      limited.post('/', hooks, async () => 'ok')
    },
    { limits: [perMinute(1)] },
  )
  const post = { method: 'POST', url: '/', payload: 'x', headers: { 'content-type': 'text/plain' } } as const
  expect((await app.inject(post)).statusCode).toBe(200)
  expect(ran.splice(0)).toEqual(['onRequest', 'parser', 'one', 'two', 'three'])
  expect((await app.inject(post)).statusCode).toBe(429)
  expect(ran).toEqual([])
})
