import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { expect, it, onTestFinished } from 'vitest'
import { rateLimit } from '../src/index.js'

// What only Koa has; what all adapters share is tested by testAdapter.

it('that was mounted without being called says so, and lets nobody through', async () => {
  const app = new Koa()
  const failed: unknown[] = []
  app.on('error', (error) => failed.push(error))
  app.use(rateLimit as never)
  app.use((ctx) => {
    ctx.body = 'ok'
  })
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { status } = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } })
  expect([status, failed]).toEqual([500, [expect.objectContaining({ message: expect.stringMatching(UNCALLED) })]])
})

const UNCALLED = /not an option of rateLimit\(\)\. Call rateLimit\(\), and mount what it returns/
