/*
 * Rail beside the twenty most used plugins of Fastify. Their types add names to the module `fastify`: where ours are looked
 * up there, they mean something else.
 */
import auth from '@fastify/auth'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import formbody from '@fastify/formbody'
import helmet from '@fastify/helmet'
import proxy from '@fastify/http-proxy'
import jwt from '@fastify/jwt'
import multipart from '@fastify/multipart'
import postgres from '@fastify/postgres'
import otherRateLimit from '@fastify/rate-limit'
import redis from '@fastify/redis'
import replyFrom from '@fastify/reply-from'
import sensible from '@fastify/sensible'
import session from '@fastify/session'
import files from '@fastify/static'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import view from '@fastify/view'
import websocket from '@fastify/websocket'
import { type Outcome, perMinute, rateLimit } from '@rail/fastify'
import Fastify from 'fastify'
import mercurius from 'mercurius'
import { Type } from 'typebox'

const app = Fastify().withTypeProvider<TypeBoxTypeProvider>().setValidatorCompiler(TypeBoxValidatorCompiler)
await app.register(auth).register(compress).register(cookie).register(cors).register(formbody).register(helmet)
await app.register(jwt, { secret: 's' }).register(multipart).register(otherRateLimit).register(sensible)
await app
  .register(session, { secret: 's'.repeat(32) })
  .register(files, { root: '/' })
  .register(swagger)
await app.register(swaggerUi).register(view, { engine: {} }).register(websocket).register(replyFrom)
await app.register(redis, { host: '127.0.0.1' }).register(postgres, { connectionString: 'postgres:' })
await app.register(proxy, { upstream: 'http://127.0.0.1' }).register(mercurius, { schema: 'type Query { a: Int }' })

const identify = (request: { ip: string }): string => request.ip
const limiter = rateLimit({ identify, limits: [perMinute(300)] })
await app.register(limiter)
await app.register(rateLimit, { identify, limits: [perMinute(300)], hook: 'preHandler', store: undefined })

const schema = { querystring: Type.Object({ page: Type.Number() }) }
app.get('/v1/report', { config: { rail: { cost: 10 } }, schema }, async (request) => request.query.page.toFixed())
app.get(
  '/v1/links',
  { config: { rail: { scope: 'links', limits: [perMinute(20)], cost: undefined } } },
  async () => 'ok',
)
app.get('/health', { config: { rail: false } }, async (request) => {
  const outcome: Outcome | undefined = request.rail
  // @ts-expect-error: this route is not limited.
  request.rail.settle(1)
  return outcome?.decision?.allowed
})
app.get('/socket', { websocket: true, config: { rail: { cost: () => 2 } } }, (socket, request) => {
  socket.send(String(request.rail?.decision?.allowed))
})
app.get('/costly', { onRequest: limiter.with({ cost: 2 }) }, async (request) => limiter.of(request)?.settle(1))
// @ts-expect-error: no such value.
app.get('/wrong', { config: { rail: { cost: '10' } } }, async () => 'ok')
