import { getRequestListener } from '@hono/node-server'
import { listen, testAdapter } from '@rail/conformance'
import express from 'express'
import Koa from 'koa'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { start as startExpress } from '../../../express/test/app.js'
import { start as startFastify } from '../../../fastify/test/app.js'
import { createFetch } from '../../../hono/test/app.js'
import { start as startKoa } from '../../../koa/test/app.js'
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

  testAdapter({ name: 'Express 5', start: () => startExpress(express, makeStore), cannot: ['decision-at-once'] })
  testAdapter({ name: 'Fastify 5', start: () => startFastify('onRequest', makeStore), cannot: ['decision-at-once'] })
  testAdapter({
    name: 'Hono 4 on Node',
    start: () => listen(getRequestListener(createFetch(makeStore))),
    cannot: ['thrown-text', 'decision-at-once'],
  })
  testAdapter({ name: 'Koa 3', start: () => startKoa(Koa, makeStore), cannot: ['decision-at-once'] })
})
