import { addressKey, type Limit, perMinute } from '@rail/core'
import express, { type Request } from 'express'
import Fastify, { type FastifyRequest } from 'fastify'
import Koa from 'koa'
import { expect, expectTypeOf, test } from 'vitest'
import { type AddressedRequest, type ApiKeys, apiKeys, hashKey } from '../src/index.js'

const table = {
  [hashKey('key_demo')]: { id: 'acme', plan: 'free' },
  [hashKey('key_pro')]: { id: 'globex', plan: 'pro' },
}

test('an address needs no annotation, and its middleware fits Express, Fastify and Koa', () => {
  const keys = apiKeys({ keys: table, address: (request) => addressKey(request.ip) })
  expectTypeOf(keys).toEqualTypeOf<ApiKeys<{ id: string; plan: string }, AddressedRequest>>()
  const app = express()
  app.use(keys.express)
  app.get('/', keys.express, (req, res) => res.json(keys.of(req).id))
  Fastify().addHook('onRequest', keys.fastify)
  new Koa().use(keys.koa)
  // @ts-expect-error: a web Request has no ip, so only a typed parameter may read anything else.
  apiKeys({ keys: table, address: (request) => request.socket })
})

test('an annotated address has the type of its framework', () => {
  const ofExpress = apiKeys({ keys: table, address: (req: Request) => addressKey(req.ip) })
  expectTypeOf(ofExpress.express).parameter(0).toEqualTypeOf<Request>()
  const ofFastify = apiKeys({ keys: table, address: (request: FastifyRequest) => addressKey(request.ip) })
  expectTypeOf(ofFastify.fastify).parameter(0).toEqualTypeOf<FastifyRequest>()
})

test('a plan in the keys is typed by its name, so that plans[plan] compiles', () => {
  const plans = { free: [perMinute(60)], pro: [perMinute(600)] }
  const keys = apiKeys({
    keys: {
      [hashKey('key_demo')]: { id: 'acme', plan: 'free' },
      [hashKey('key_pro')]: { id: 'globex', plan: 'pro' },
    },
    address: (request) => addressKey(request.ip),
  })
  const limitsOf = (request: object): Limit[] => plans[keys.of(request).plan]
  const request = { ip: '192.0.2.1', headers: { 'x-api-key': 'key_pro' } }
  keys.check(request)
  expect(limitsOf(request)).toBe(plans.pro)
  const fewer = { free: [perMinute(60)] }
  // @ts-expect-error: no limits for the plan "pro".
  expect(fewer[keys.of(request).plan]).toBe(undefined)
})

test('a look-up gives the type of the identity it finds', () => {
  const customers = new Map<string, { id: string; plan: 'free' | 'pro' }>()
  const keys = apiKeys({ lookup: (hash) => customers.get(hash), address: () => null })
  expectTypeOf(keys.of).returns.toEqualTypeOf<{ id: string; plan: 'free' | 'pro' }>()
})
