import { manualClock } from '@rail/fastify'
import { describe, expect, test } from 'vitest'
import { createApp } from '../src/app.js'

const headers = { authorization: 'Bearer key_free' }

describe('the Fastify example', () => {
  test('charges a guess and settles what the answer cost', async () => {
    const app = await createApp({ clock: manualClock() })
    const payload = { prompt: 'one two three four' }
    const { statusCode, headers: sent } = await app.inject({ method: 'POST', url: '/v1/complete', payload, headers })
    expect([statusCode, sent.ratelimit]).toEqual([200, '"per_second";r=9;t=1, "model_tokens";r=8988;t=1'])
    const again = await app.inject({ method: 'POST', url: '/v1/complete', payload, headers })
    expect(again.headers.ratelimit).toBe('"per_second";r=8;t=1, "model_tokens";r=8976;t=1')
  })

  test('an answer that cost more than its guess leaves a debt, which is waited off', async () => {
    const clock = manualClock()
    const app = await createApp({ clock })
    const ask = (prompt: string) => app.inject({ method: 'POST', url: '/v1/complete', payload: { prompt }, headers })
    expect((await ask('word '.repeat(6_000))).statusCode).toBe(200) // 18,000 tokens of 9,000 a minute
    const refused = await ask('hello')
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '64'])
    clock.advance(64_000)
    expect((await ask('hello')).statusCode).toBe(200)
  })

  test('writes of every route share a tighter limit, beside the plan', async () => {
    const app = await createApp({ clock: manualClock() })
    const write = () => app.inject({ method: 'PUT', url: '/v1/prompts/a', headers })
    expect((await write()).headers.ratelimit).toBe(
      '"per_second";r=9;t=1, "model_tokens";r=8999;t=1, "writes.per_minute";r=19;t=3',
    )
    const removed = await app.inject({ method: 'DELETE', url: '/v1/prompts/a', headers })
    expect(removed.headers.ratelimit).toContain('"writes.per_minute";r=18')
  })

  test('an unknown key is answered 401 and has no bucket; the start page is not limited', async () => {
    const app = await createApp()
    const unknown = await app.inject({
      url: '/v1/prompts/a',
      method: 'PUT',
      headers: { authorization: 'Bearer nobody' },
    })
    expect([unknown.statusCode, unknown.headers.ratelimit]).toEqual([401, undefined])
    const start = await app.inject('/')
    expect([start.statusCode, start.headers.ratelimit]).toEqual([200, undefined])
  })
})
