import { manualClock } from '@rail/hono'
import { describe, expect, test } from 'vitest'
import { createApp } from '../src/app.js'

describe('the Hono example', () => {
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

  test('a request takes from its client and from its user', async () => {
    const app = createApp({ clock: manualClock() })
    const response = await app.request('/v1/events', as('token_ann'))
    expect(response.headers.get('ratelimit')).toBe('"client";r=19;t=1, "user";r=4;t=1')
    expect(response.headers.get('access-control-expose-headers')).toBe('RateLimit-Policy, RateLimit')
    expect(await response.json()).toEqual({ user: 'ann', left: [19, 4] })
  })

  test('a user who is over its limit takes nothing from the client, whose other users go on', async () => {
    const app = createApp({ clock: manualClock() })
    for (let i = 0; i < 5; i++) expect((await app.request('/v1/events', as('token_ann'))).status).toBe(200)
    for (let i = 0; i < 30; i++) expect((await app.request('/v1/events', as('token_ann'))).status).toBe(429)
    const other = await app.request('/v1/events', as('token_bob'))
    expect(other.headers.get('ratelimit')).toBe('"client";r=14;t=1, "user";r=4;t=1')
  })

  test('a search costs five, not six', async () => {
    const app = createApp({ clock: manualClock() })
    const response = await app.request('/v1/search', as('token_bob'))
    expect(response.headers.get('ratelimit')).toBe('"client";r=15;t=1, "user";r=0;t=1')
  })

  test('an unknown token is answered 401 without fields', async () => {
    const response = await createApp().request('/v1/events', as('token_nobody'))
    expect([response.status, response.headers.get('ratelimit')]).toEqual([401, null])
  })
})
