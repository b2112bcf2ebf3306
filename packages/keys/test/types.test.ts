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

test('the identity and the framework can both be named', () => {
  interface Customer {
    readonly id: string
    readonly plan: 'free' | 'pro'
  }
  const plans: Record<Customer['plan'], Limit[]> = { free: [perMinute(60)], pro: [perMinute(600)] }
  const keys = apiKeys<Customer, Request>({
    keys: { [hashKey('key_demo')]: { id: 'acme', plan: 'free' } },
    address: (req) => addressKey(req.ip),
  })
  expectTypeOf(keys.of).returns.toEqualTypeOf<Customer>()
  expectTypeOf((req: Request) => plans[keys.of(req).plan]).returns.toEqualTypeOf<Limit[]>()
})

test('whatever is no identity does not compile', () => {
  const address = () => null
  const rows = async (): Promise<{ id: string }[]> => []
  // @ts-expect-error: rows are not one identity.
  apiKeys({ lookup: rows, address })
  // @ts-expect-error: a result with rows has no id.
  apiKeys({ lookup: async () => ({ rows: await rows() }), address })
  // @ts-expect-error: undefined is not null.
  apiKeys({ lookup: async () => (await rows())[0], address })
  // @ts-expect-error: whether a key exists is no identity.
  apiKeys({ lookup: (hash) => hash !== '', address })
  apiKeys({ lookup: async () => (await rows())[0] ?? null, address })
  expect(() => {
    // @ts-expect-error: keys of this process always pass.
    apiKeys({ keys: table, whenBlocked: 'lookup', address })
  }).toThrow()
})

test('a look-up gives the type of the identity it finds', () => {
  const customers = new Map<string, { id: string; plan: 'free' | 'pro' }>()
  const keys = apiKeys({ lookup: (hash) => customers.get(hash) ?? null, address: () => null })
  expectTypeOf(keys.of).returns.toEqualTypeOf<{ id: string; plan: 'free' | 'pro' }>()
})
