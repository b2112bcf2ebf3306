import type { Server } from 'node:http'
import { addressKey, manualClock, perMinute } from '@rail/core'
import { afterEach, describe, expect, test } from 'vitest'
import { apiKeys, hashKey } from '../src/index.js'
import { frameworks, type Options, urlOf } from './frameworks.js'

const KEY = 'key_of_acme'
const keys = { [hashKey(KEY)]: { id: 'acme' } }

/** Thrown values that some frameworks do not treat as errors. */
const mistakes: [how: string, lookup: () => Promise<null>][] = [
  ['rejects with nothing', () => Promise.reject()],
  ['rejects with a string', () => Promise.reject('route')],
  [
    'throws nothing',
    () => {
      throw undefined
    },
  ],
]

describe.each(Object.entries(frameworks))('in %s', (_name, start) => {
  const servers: { close(): unknown }[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  async function serve(options: Options) {
    const server = await start(options)
    servers.push(server)
    return (headers: Record<string, string> = {}, method = 'GET') =>
      fetch(urlOf(server), { method, headers: { 'x-address': '192.0.2.1', connection: 'close', ...headers } })
  }

  test('a known key is allowed, as a bearer token and as X-API-Key', async () => {
    const send = await serve({ keys })
    for (const headers of [
      { authorization: `Bearer ${KEY}` },
      { authorization: `bearer ${KEY}` },
      { 'x-api-key': KEY },
    ]) {
      const response = await send(headers)
      expect([response.status, await response.json()]).toEqual([200, { id: 'acme' }])
    }
  })

  test('a request without a key is answered 401, with WWW-Authenticate, and not cached', async () => {
    const response = await (await serve({ keys }))()
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="api"')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ error: 'unauthorized' })
  })

  test('an unknown key is answered 401 with the error invalid_token', async () => {
    const response = await (await serve({ keys }))({ authorization: 'Bearer key_of_nobody' })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="api", error="invalid_token"')
  })

  test('requests with a known key or without a key are not counted as guesses', async () => {
    const send = await serve({ keys, clock: manualClock() })
    for (let i = 0; i < 20; i++) {
      expect((await send({ 'x-api-key': KEY })).status).toBe(200)
      expect((await send()).status).toBe(401)
    }
  })

  test('headers that were set before the check are on its refusals too', async () => {
    const send = await serve({ keys, failures: [perMinute(1)] })
    const answers = [await send(), await send({ 'x-api-key': 'guess' }), await send({ 'x-api-key': 'guess' })]
    expect(answers.map(({ status, headers }) => [status, headers.get('x-request-id')])).toEqual([
      [401, '7'],
      [401, '7'],
      [429, '7'],
    ])
  })

  test('a HEAD request is answered like its GET, without a body', async () => {
    const send = await serve({ keys })
    expect((await send({ 'x-api-key': KEY }, 'HEAD')).status).toBe(200)
    const response = await send({}, 'HEAD')
    expect([response.status, response.headers.get('www-authenticate'), await response.text()]).toEqual([
      401,
      'Bearer realm="api"',
      '',
    ])
  })

  test('a look-up that fails goes to the error handling of the framework', async () => {
    const send = await serve({ lookup: () => Promise.reject(new Error('no database')) })
    expect((await send({ 'x-api-key': KEY })).status).toBe(500)
  })

  test.each(mistakes)('a look-up that %s fails like any other', async (_how, lookup) => {
    const send = await serve({ lookup })
    expect((await send({ 'x-api-key': KEY })).status).toBe(500)
  })
})

describe.each(['express', 'express 4'])('in %s', (name) => {
  test.each(mistakes)('a look-up that %s allows no request', async (_how, lookup) => {
    const server = (await frameworks[name]?.({ lookup })) as Server
    const response = await fetch(`${urlOf(server)}open`, { headers: { 'x-api-key': KEY, connection: 'close' } })
    server.close()
    expect(response.status).toBe(500)
  })

  test('a look-up that ends after a timeout has answered causes no error', async () => {
    const failed: unknown[] = []
    const note = (error: unknown) => failed.push(error)
    process.on('unhandledRejection', note)
    let find = () => {}
    const lookup = () => new Promise<null>((resolve) => (find = () => resolve(null)))
    const server = (await frameworks[name]?.({ lookup })) as Server
    const response = await fetch(urlOf(server), { headers: { 'x-api-key': 'guess', 'x-timeout': '1' } })
    find()
    await new Promise(setImmediate)
    server.close()
    process.off('unhandledRejection', note)
    expect([response.status, failed]).toEqual([504, []])
  })
})

describe('apiKeys', () => {
  const address = () => '192.0.2.1'

  test('checks a web Request, as edge runtimes have it', () => {
    const known = apiKeys({ keys, address })
    const request = new Request('http://localhost/', { headers: { authorization: `Bearer ${KEY}` } })
    expect(known.check(request)).toEqual({ identity: { id: 'acme' } })
    expect(known.of(request)).toEqual({ id: 'acme' })
  })

  test('an error of a handler is not treated as a failed check: next is called once', () => {
    const request = { headers: { 'x-api-key': KEY } }
    const called: unknown[] = []
    const next = (error?: unknown): void => {
      called.push(error)
      throw new Error('no page')
    }
    expect(() => apiKeys({ keys, address }).express(request, {} as never, next)).toThrow('no page')
    expect(called).toEqual([undefined])
  })

  test('a request without headers is an error, and reaches the error handling', () => {
    const known = apiKeys({ keys, address })
    for (const request of [undefined, null, {}, { headers: null }, { req: {} }, 'GET /']) {
      const error = expect.objectContaining({ code: 'RAIL_BAD_OPTION', message: expect.stringContaining('headers') })
      expect(() => known.check(request as never)).toThrow(error)
      const called: unknown[] = []
      known.express(request as never, {} as never, (error) => called.push(error))
      expect(called).toEqual([error])
    }
  })

  test('a response that cannot be written goes to the error handling, after a look-up too', async () => {
    for (const lookup of [() => null, async () => null]) {
      const known = apiKeys({ lookup, address })
      const error = await new Promise((next) => known.express({ headers: { 'x-api-key': KEY } }, {} as never, next))
      expect(error).toBeInstanceOf(TypeError)
    }
  })

  test('a clock that returns no number is an error, not a free guess', () => {
    const known = apiKeys({ keys, address, clock: () => Number.NaN })
    expect(() => known.check({ headers: { 'x-api-key': 'guess' } })).toThrow(/clock/)
  })

  test.each([undefined, '', 7])(
    'an address of %o is an error, never a bucket shared by all requests without one',
    (from) => {
      const known = apiKeys({ keys, address: () => from as string })
      expect(() => known.check({ headers: { 'x-api-key': 'guess' } })).toThrow(
        expect.objectContaining({ code: 'RAIL_BAD_ADDRESS' }),
      )
    },
  )

  test('with addressKey, guesses from one IPv6 network are counted together', async () => {
    const known = apiKeys({
      keys,
      address: ({ ip }: { ip: string; headers: Record<string, string> }) => addressKey(ip),
      clock: manualClock(),
    })
    const guessFrom = (ip: string) => known.check({ ip, headers: { 'x-api-key': 'guess' } })
    for (let guess = 0; guess < 10; guess++) await guessFrom(`2001:db8::${guess}`)
    expect((await guessFrom('2001:db8::ffff')).refusal?.status).toBe(429)
    expect((await guessFrom('2001:db8:0:1::1')).refusal?.status).toBe(401)
  })

  test('of throws for a request that was not checked', () => {
    expect(() => apiKeys({ keys, address }).of({})).toThrow(expect.objectContaining({ code: 'RAIL_NO_IDENTITY' }))
  })

  describe('an identity belongs to one request', () => {
    const headers = { 'x-api-key': KEY }
    const bags = {
      "Express's locals": (bag: object) => ({ headers, res: { locals: bag } }),
      "Koa's state": (bag: object) => ({ headers, state: bag }),
      "Hono's variables": (bag: Record<symbol, unknown>) => ({
        req: { raw: { headers: new Headers(headers) } },
        get: (name: symbol) => bag[name],
        set: (name: symbol, value: unknown) => {
          bag[name] = value
        },
      }),
    }

    test.each(Object.entries(bags))('and is kept in %s', (_name, requestWith) => {
      const known = apiKeys({ keys, address })
      const bag = {}
      const [request, other] = [requestWith(bag), requestWith(bag)]
      known.check(request)
      expect(known.of(request)).toEqual({ id: 'acme' })
      expect(Object.getOwnPropertySymbols(bag)).toHaveLength(1)
      // A bag that two requests share is a mistake, but never gives one of them the identity of the other.
      expect(() => known.of(other)).toThrow(expect.objectContaining({ code: 'RAIL_NO_IDENTITY' }))
      known.check(other)
      expect(() => known.of(request)).toThrow(expect.objectContaining({ code: 'RAIL_NO_IDENTITY' }))
    })

    test.each([
      ['a request that is frozen', () => Object.freeze({ headers })],
      ['a bag that is frozen', () => ({ headers, state: Object.freeze({}) })],
      ['a response without locals', () => ({ headers, res: {} })],
      ['a bag that is no object', () => ({ headers, state: 'idle', res: null })],
      ['a plain request', () => ({ headers })],
    ])('with %s', (_name, made) => {
      const [known, others] = [apiKeys({ keys, address }), apiKeys({ keys, address })]
      const request = made()
      known.check(request)
      expect(known.of(request)).toEqual({ id: 'acme' })
      expect(() => others.of(request)).toThrow(expect.objectContaining({ code: 'RAIL_NO_IDENTITY' }))
    })

    test('and is kept with a copy of the bag', () => {
      const known = apiKeys({ keys, address })
      const request: { headers: object; res: { locals: object } } = { headers, res: { locals: {} } }
      known.check(request as never)
      request.res.locals = { ...request.res.locals, user: 'ada' }
      expect(known.of(request)).toEqual({ id: 'acme' })
      request.res.locals = {}
      expect(() => known.of(request)).toThrow(expect.objectContaining({ code: 'RAIL_NO_IDENTITY' }))
    })
  })

  test('only the header that the option names is read', () => {
    const ofBearer = apiKeys({ keys, address, header: 'authorization' })
    expect(ofBearer.check({ headers: { 'x-api-key': KEY } })).toMatchObject({ refusal: { status: 401 } })
    const ofKey = apiKeys({ keys, address, header: 'x-api-key' })
    expect(ofKey.check({ headers: { authorization: `Bearer ${KEY}` } })).toMatchObject({
      refusal: { status: 401, headers: [{ value: 'ApiKey realm="api"' }, {}] },
    })
  })

  test.each(['__proto__', 'constructor', 'toString'])('the key %s is unknown', (key) => {
    expect(apiKeys({ keys, address }).check({ headers: { 'x-api-key': key } })).toMatchObject({
      refusal: { status: 401 },
    })
  })
})
