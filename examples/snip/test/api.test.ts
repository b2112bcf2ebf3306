import { manualClock } from '@rail/fastify'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '../src/server/app.js'
import { type Db, openDatabase } from '../src/server/database.js'

const NOON = Date.UTC(2026, 0, 1, 12)
const clock = manualClock(NOON)
let db: Db
let app: FastifyInstance

beforeEach(async () => {
  clock.set(NOON)
  db = openDatabase(':memory:')
  app = await createApp({ db, clock })
})

async function ask(
  method: InjectOptions['method'],
  url: string,
  more: { body?: object; key?: string; as?: string } = {},
) {
  const { body, key, as = 'snip_free_ada' } = more
  const headers = { authorization: `Bearer ${as}`, ...(key === undefined ? {} : { 'idempotency-key': key }) }
  const answer = await app.inject({
    method,
    url,
    headers,
    ...(body === undefined ? {} : { payload: body }),
  } as InjectOptions)
  return {
    status: answer.statusCode,
    headers: answer.headers,
    json: answer.body === '' ? undefined : JSON.parse(answer.body),
  }
}

const link = { url: 'https://example.org/', slug: 'example' }

describe('links', () => {
  it('are created, read, changed and listed', async () => {
    const shown = { ...link, created_at: '2026-01-01T12:00:00.000Z' }
    expect(await ask('POST', '/v1/links', { body: link })).toMatchObject({ status: 201, json: shown })
    expect(await ask('GET', '/v1/links/example')).toMatchObject({ status: 200, json: shown })
    const changed = { ...shown, url: 'https://example.net/' }
    expect(await ask('PATCH', '/v1/links/example', { body: { url: 'https://example.net/' } })).toMatchObject({
      status: 200,
      json: changed,
    })
    expect((await ask('GET', '/v1/links')).json).toEqual({ links: [changed] })
    expect((await ask('GET', '/v1/links?after=example')).json).toEqual({ links: [] })
  })

  it('get a slug where none is asked for', async () => {
    const { json } = await ask('POST', '/v1/links', { body: { url: link.url } })
    expect(json.slug).toMatch(/^[\w-]{8}$/)
  })

  it('are one customer’s: another neither reads nor changes them', async () => {
    await ask('POST', '/v1/links', { body: link })
    expect((await ask('GET', '/v1/links/example', { as: 'snip_pro_grace' })).status).toBe(404)
    expect(
      (await ask('PATCH', '/v1/links/example', { as: 'snip_pro_grace', body: { url: 'https://evil.example/' } }))
        .status,
    ).toBe(404)
    expect((await ask('GET', '/v1/links/example')).json.url).toBe(link.url)
  })

  it('lead on without a key and without a limit, and clicks are counted by day', async () => {
    await ask('POST', '/v1/links', { body: link })
    for (let click = 0; click < 300; click++) {
      const { statusCode, headers } = await app.inject('/example')
      expect([statusCode, headers.location, headers['ratelimit-limit']]).toEqual([302, link.url, undefined])
    }
    clock.advance(86_400_000)
    await app.inject('/example')
    expect((await ask('GET', '/v1/links/example/analytics')).json).toEqual({
      clicks: 301,
      days: [
        { day: '2026-01-01', clicks: 300 },
        { day: '2026-01-02', clicks: 1 },
      ],
    })
  })

  it('lead on in ASCII, whatever script they are in', async () => {
    const url = 'https://例え.jp/é/😀?q=ü'
    expect(await ask('POST', '/v1/links', { body: { url, slug: 'script' } })).toMatchObject({
      status: 201,
      json: { url },
    })
    const { statusCode, headers } = await app.inject('/script')
    expect([statusCode, headers.location]).toEqual([302, 'https://xn--r8jz45g.jp/%C3%A9/%F0%9F%98%80?q=%C3%BC'])
  })

  it.each([
    [422, { url: 'javascript:alert(1)' }, 'not-a-link'],
    [422, { url: 'https://example.org/\nX: y' }, 'not-a-link'],
    [422, { url: 'https://example.org/\0' }, 'not-a-link'],
    [422, { url: 'https://example.org/', slug: 'a b' }, 'not-a-slug'],
    [400, { slug: 'example' }, 'bad-request'],
  ])('are answered %i where they are none', async (status, body, type) => {
    const { headers, json } = await ask('POST', '/v1/links', { body })
    expect(headers['content-type']).toMatch('application/problem+json')
    expect(json).toMatchObject({ status, type: `https://api.snip.example/errors/${type}` })
  })
})

describe('an Idempotency-Key', () => {
  it('carries a write out once: whoever sends it again gets the first answer', async () => {
    const first = await ask('POST', '/v1/links', { body: link, key: 'k1' })
    clock.advance(60_000)
    const second = await ask('POST', '/v1/links', { body: link, key: 'k1' })
    expect(second.json).toEqual(first.json)
    expect(second.status).toBe(201)
    expect(await ask('POST', '/v1/links', { body: link })).toMatchObject({ status: 409 })
  })

  it('keeps a refusal, too', async () => {
    await ask('POST', '/v1/links', { body: link })
    const first = await ask('POST', '/v1/links', { body: link, key: 'k1' })
    expect(first.status).toBe(409)
    expect(await ask('POST', '/v1/links', { body: link, key: 'k1' })).toMatchObject({ status: 409, json: first.json })
  })

  it('is one customer’s and one request’s', async () => {
    await ask('POST', '/v1/links', { body: { url: link.url }, key: 'k1' })
    expect((await ask('POST', '/v1/links', { body: { url: link.url }, key: 'k1', as: 'snip_pro_grace' })).status).toBe(
      201,
    )
    expect(await ask('POST', '/v1/links', { body: { url: 'https://example.net/' }, key: 'k1' })).toMatchObject({
      status: 422,
      json: { type: 'https://api.snip.example/errors/key-reused' },
    })
  })

  it('is not used up by a refusal of the limiter: the write is carried out when it comes again', async () => {
    for (let request = 0; request < 100; request++) await ask('GET', '/v1/links')
    expect((await ask('POST', '/v1/links', { body: link, key: 'k1' })).status).toBe(429)
    clock.advance(1_000)
    expect((await ask('POST', '/v1/links', { body: link, key: 'k1' })).status).toBe(201)
  })

  it('of a change, too, carries it out once', async () => {
    await ask('POST', '/v1/links', { body: link })
    const change = (url: string, key?: string) =>
      ask('PATCH', '/v1/links/example', { body: { url }, ...(key === undefined ? {} : { key }) })
    const first = await change('https://one.example/', 'k1')
    await change('https://two.example/')
    expect(await change('https://one.example/', 'k1')).toMatchObject({ status: 200, json: first.json })
    expect((await ask('GET', '/v1/links/example')).json.url).toBe('https://two.example/')
  })

  it.each(['', 'k'.repeat(256)])('is 1 to 255 characters, not %j', async (key) => {
    expect(await ask('POST', '/v1/links', { body: link, key })).toMatchObject({
      status: 400,
      json: { type: 'https://api.snip.example/errors/bad-key' },
    })
  })

  it('holds over a restart: answers are in the database', async () => {
    const first = await ask('POST', '/v1/links', { body: link, key: 'k1' })
    app = await createApp({ db, clock })
    expect(await ask('POST', '/v1/links', { body: link, key: 'k1' })).toMatchObject({ status: 201, json: first.json })
  })
})

describe('limits', () => {
  it('are told on every answer, in the fields that every client reads', async () => {
    await ask('POST', '/v1/links', { body: link })
    const answers: [number, string, string, object?][] = [
      [201, 'POST', '/v1/links', { url: link.url }],
      [400, 'POST', '/v1/links', {}],
      [409, 'POST', '/v1/links', link],
      [422, 'POST', '/v1/links', { url: 'no link' }],
      [200, 'PATCH', '/v1/links/example', { url: link.url }],
      [404, 'PATCH', '/v1/links/none', { url: link.url }],
      [200, 'GET', '/v1/links'],
      [200, 'GET', '/v1/links/example'],
      [404, 'GET', '/v1/links/none'],
      [200, 'GET', '/v1/links/example/analytics'],
      [404, 'GET', '/v1/links/none/analytics'],
      [200, 'GET', '/v1/account'],
      [200, 'HEAD', '/v1/account'],
      [404, 'DELETE', '/v1/links/example'],
      [404, 'GET', '/v1/nowhere'],
    ]
    let [reads, writes] = [99, 19]
    for (const [expected, method, url, body] of answers) {
      const { status, headers, json } = await ask(method as 'GET', url, body === undefined ? {} : { body })
      const [limit, left] = body === undefined ? [100, --reads] : [20, --writes]
      if (body !== undefined) reads--
      const what = `${method} ${url}`
      expect([what, status, headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual([
        what,
        expected,
        String(limit),
        String(left),
      ])
      expect(headers['ratelimit-reset']).toMatch(/^\d+$/)
      if (status >= 400)
        expect(json).toMatchObject({ status, type: expect.stringContaining('https://api.snip.example') })
    }
  })

  it('refuse with what helps, to the letter', async () => {
    for (let request = 0; request < 100; request++) await ask('GET', '/v1/links')
    const refused = await ask('POST', '/v1/links?a=b', { body: link })
    expect(refused.status).toBe(429)
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-limit': '100',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '1',
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
    })
    expect(refused.json).toEqual({
      type: 'https://api.snip.example/errors/rate-limited',
      title: 'Rate limit exceeded',
      status: 429,
      detail: 'The free plan allows 100 requests per minute. Retry in 1 second.',
      instance: '/v1/links',
    })
    clock.advance(1_000)
    expect((await ask('POST', '/v1/links', { body: link })).status).toBe(201)
  })

  it('hold writes tighter than reads: 20 at once, then 100 a minute, and reads go on', async () => {
    const write = () => ask('POST', '/v1/links', { body: { url: link.url } })
    for (let request = 0; request < 20; request++) expect((await write()).status).toBe(201)
    const refused = await write()
    expect(refused.headers['ratelimit-limit']).toBe('20')
    expect(refused.json.detail).toBe('The free plan allows 100 writes per minute. Retry in 1 second.')
    expect((await ask('GET', '/v1/links')).status).toBe(200)
    clock.advance(600)
    expect((await write()).status).toBe(201)
  })

  it('are the plan’s: ten times as much on pro', async () => {
    expect((await ask('GET', '/v1/links', { as: 'snip_pro_grace' })).headers['ratelimit-limit']).toBe('1000')
    expect((await ask('GET', '/v1/account')).json).toEqual({
      plan: 'free',
      writes_per_minute: { free: 100, pro: 1_000 },
    })
  })

  it('are not for whoever follows a link, also where their key has nothing left', async () => {
    await ask('POST', '/v1/links', { body: link })
    for (let request = 0; request < 99; request++) await ask('GET', '/v1/links')
    expect((await ask('GET', '/v1/links')).status).toBe(429)
    const { statusCode, headers } = await app.inject({
      url: '/example',
      headers: { authorization: 'Bearer snip_free_ada' },
    })
    expect([statusCode, headers.location, headers['ratelimit-limit']]).toEqual([302, link.url, undefined])
  })
})

describe('a key that nobody has', () => {
  it('is answered with a problem, and told no limits', async () => {
    const { status, headers, json } = await ask('GET', '/v1/links', { as: 'snip_nobody' })
    expect([status, headers['ratelimit-limit']]).toEqual([401, undefined])
    expect(headers['www-authenticate']).toMatch(/^Bearer /)
    expect(headers['content-type']).toMatch('application/problem+json')
    expect(json).toMatchObject({ status: 401, type: 'https://api.snip.example/errors/unauthorized' })
  })

  it('is not guessed: after ten of them an address has to wait', async () => {
    for (let guess = 0; guess < 10; guess++) await ask('GET', '/v1/links', { as: `snip_${guess}` })
    const { status, headers, json } = await ask('GET', '/v1/links', { as: 'snip_10' })
    expect([status, Number(headers['retry-after']) > 0]).toEqual([429, true])
    expect(json).toMatchObject({ status: 429, type: 'https://api.snip.example/errors/too-many-keys' })
  })
})
