import { createHash } from 'node:crypto'
import type { RunningApp } from '@rail/conformance'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runtimes } from './runtimes.js'

describe.each(Object.entries(runtimes))('API keys on %s', (_, start) => {
  let running: RunningApp
  beforeAll(async () => {
    running = await start('keys')
  })
  afterAll(() => running.stop())

  const ask = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${running.url}/hello`, { headers: { connection: 'close', ...headers } })

  test('a key that is drawn there is known by its hash, and limited; no key and an unknown one are 401', async () => {
    const drawn = await fetch(`${running.url}/keys`, { method: 'POST', headers: { connection: 'close' } })
    const { key, hash } = (await drawn.json()) as { key: string; hash: string }
    expect(key).toMatch(/^key_[\w-]{43}$/)
    expect(hash).toBe(createHash('sha256').update(key).digest('hex'))

    for (const headers of [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }]) {
      const allowed = await ask(headers)
      expect([allowed.status, await allowed.json()]).toEqual([200, { id: 'acme' }])
      expect(allowed.headers.get('ratelimit-policy')).toBe('"per_minute";q=100;w=60')
    }
    const unknown = await ask({ authorization: 'Bearer key_of_nobody', 'x-address': '192.0.2.1' })
    expect([unknown.status, unknown.headers.get('www-authenticate'), unknown.headers.get('ratelimit')]).toEqual([
      401,
      'Bearer realm="api", error="invalid_token"',
      null,
    ])
    expect((await ask({})).headers.get('www-authenticate')).toBe('Bearer realm="api"')
  })

  test('an address that guesses is refused, and no other', async () => {
    const guess = (address: string): Promise<Response> => ask({ 'x-api-key': 'guess', 'x-address': address })
    for (let guesses = 0; guesses < 3; guesses++) expect((await guess('192.0.2.9')).status).toBe(401)
    const refused = await guess('192.0.2.9')
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([429, 'no-store'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await guess('192.0.2.8')).status).toBe(401)
  })
})
