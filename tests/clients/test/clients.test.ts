import { draft6, draft7, draft11, xRateLimit } from '@rail/express'
import { parseRateLimit } from 'ratelimit-header-parser'
import { describe, expect, test } from 'vitest'
import { octokit, retrying } from './clients.js'
import { type Api, adapters, type Styles, serve } from './servers.js'

async function withApi(adapter: string, headers: Styles, use: (api: Api) => Promise<void>): Promise<void> {
  const api = await serve(await (adapters[adapter] as (typeof adapters)[string])(headers))
  try {
    await use(api)
  } finally {
    api.close()
  }
}

/** One request uses the bucket up; the client's is refused, and its next one comes no earlier than told, and is let in. */
async function expectObedience(api: Api, client: (url: string) => Promise<number>): Promise<void> {
  await fetch(api.url)
  expect(await client(api.url)).toBe(200)
  expect(api.seen.map(({ status }) => status)).toEqual([200, 429, 200])
  const [, refused, allowed] = api.seen
  // A timer may fire a fraction of a millisecond early.
  expect((allowed?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(999)
}

describe.concurrent.each(Object.keys(adapters))('on %s', (adapter) => {
  test.each(Object.entries(retrying))('%s waits as long as it is told and is let in', async (_name, client) => {
    await withApi(adapter, draft11, (api) => expectObedience(api, client))
  })

  test('octokit waits as long as X-RateLimit-Reset says and is let in', async () => {
    await withApi(adapter, xRateLimit, (api) => expectObedience(api, octokit))
  })

  test.each([draft6, draft7, xRateLimit])('ratelimit-header-parser reads $name', async (style) => {
    await withApi(adapter, style, async (api) => {
      const parsed = parseRateLimit(await fetch(api.url))
      expect(parsed).toMatchObject({ limit: 1, used: 1, remaining: 0 })
      const seconds = ((parsed?.reset?.getTime() ?? 0) - Date.now()) / 1000
      expect(seconds).toBeGreaterThan(-1)
      expect(seconds).toBeLessThanOrEqual(2)
    })
  })
})
