import { getRequestListener } from '@hono/node-server'
import { listen, listenerFor, testAdapter } from '@rail/conformance'
import { fetchFor } from '@rail/conformance/scenarios'
import express from 'express'
import Koa from 'koa'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { appOf as expressOf } from '../../../express/test/app.js'
import { appOf as fastifyOf } from '../../../fastify/test/app.js'
import { app as hono } from '../../../hono/test/app.js'
import { appOf as koaOf } from '../../../koa/test/app.js'
import { RedisStore } from '../../src/index.js'

const port = inject('redisPort')

// The very apps that the adapters are tested by, with their buckets in Redis.
describe.skipIf(port === 0)('buckets in Redis', () => {
  const client = createClient({ socket: { host: '127.0.0.1', port }, disableOfflineQueue: true })
  beforeAll(async () => {
    await client.connect()
  })
  afterAll(() => client.destroy())

  let stores = 0
  const makeStore = (): RedisStore =>
    new RedisStore({ client, prefix: `adapters-${++stores}:`, useGivenTime: true, deadlineMs: 60_000 })

  testAdapter({
    name: 'Express 5',
    start: () => listen(listenerFor(expressOf(express), makeStore)),
    cannot: ['decision-at-once'],
  })
  testAdapter({
    name: 'Fastify 5',
    start: () => listen(listenerFor(fastifyOf('onRequest'), makeStore)),
    cannot: ['decision-at-once'],
  })
  testAdapter({
    name: 'Hono 4 on Node',
    start: () => listen(getRequestListener(fetchFor(hono, makeStore))),
    cannot: ['thrown-string', 'decision-at-once'],
  })
  testAdapter({ name: 'Koa 3', start: () => listen(listenerFor(koaOf(Koa), makeStore)), cannot: ['decision-at-once'] })
})
