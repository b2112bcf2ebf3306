import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { manualClock } from '@rail/koa'
import { afterEach, describe, expect, test } from 'vitest'
import { type AppOptions, createApp } from '../src/app.js'

describe('the Koa example', () => {
  const open: { close(): unknown }[] = []
  afterEach(() => {
    for (const server of open.splice(0)) server.close()
  })

  async function start(options: AppOptions) {
    const server = createApp(options).listen(0, '127.0.0.1')
    await once(server, 'listening')
    open.push(server)
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return (path: string, key = 'key_demo') => fetch(url + path, { headers: { 'x-api-key': key, connection: 'close' } })
  }

  test('a planned limit counts and tells, and changes no answer', async () => {
    const refusals: string[] = []
    const ask = await start({ clock: manualClock(), onPlannedRefusal: ({ refusedBy }) => refusals.push(...refusedBy) })
    for (let i = 0; i < 4; i++) {
      const response = await ask('/v1/hello')
      expect([response.status, response.headers.get('ratelimit-policy')]).toEqual([
        200,
        '"per_second";q=10;w=1, "per_minute";q=300;w=60',
      ])
    }
    expect(refusals).toEqual(['planned', 'planned'])
  })

  test('a report costs ten', async () => {
    const ask = await start({ clock: manualClock() })
    expect((await ask('/v1/report')).headers.get('ratelimit')).toBe('"per_second";r=0;t=1, "per_minute";r=290;t=2')
    expect((await ask('/v1/hello')).status).toBe(429)
  })

  test('an unknown key is answered 401', async () => {
    expect((await (await start({}))('/v1/hello', 'key_nobody')).status).toBe(401)
  })
})
