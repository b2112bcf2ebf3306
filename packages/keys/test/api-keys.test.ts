import type { Server } from 'node:http'
import { addressKey, manualClock, perMinute } from '@rail/core'
import { afterEach, describe, expect, test } from 'vitest'
import { apiKeys, createKey, hashKey } from '../src/index.js'
import { type Customer, frameworks, type Options, urlOf } from './frameworks.js'

const KEY = 'key_of_acme'
const keys = { [hashKey(KEY)]: { id: 'acme' } }

/** Thrown values that some frameworks do not treat as errors. */
const mistakes: [how: string, lookup: () => Promise<undefined>][] = [
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

  test('an address that guesses is refused before its next key is looked up, and only that address', async () => {
    const lookups: string[] = []
    const clock = manualClock()
    const lookup = (hash: string) => {
      lookups.push(hash)
      return hash === hashKey(KEY) ? { id: 'acme' } : undefined
    }
    const send = await serve({ lookup, clock })
    for (let guess = 0; guess < 10; guess++) expect((await send({ 'x-api-key': `guess_${guess}` })).status).toBe(401)
    const refused = await send({ 'x-api-key': KEY })
    expect([refused.status, refused.headers.get('retry-after'), lookups.length]).toEqual([429, '6', 10])
    expect((await send({ 'x-api-key': KEY, 'x-address': '192.0.2.2' })).status).toBe(200)
    clock.advance(5_999)
    expect((await send({ 'x-api-key': KEY })).status).toBe(429)
    clock.advance(1)
    expect((await send({ 'x-api-key': KEY })).status).toBe(200)
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
    const lookup = () => new Promise<undefined>((resolve) => (find = () => resolve(undefined)))
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

  test('a key is unknown when its look-up gives false, undefined or null', async () => {
    const request = { headers: { 'x-api-key': KEY } }
    const known = new Set<string>([hashKey('key_of_globex')])
    const existsOnly = apiKeys({ lookup: (hash) => known.has(hash), address })
    expect(await existsOnly.check(request)).toMatchObject({ refusal: { status: 401 } })
    expect(await existsOnly.check({ headers: { 'x-api-key': 'key_of_globex' } })).toEqual({ identity: true })
    for (const found of [null, undefined]) {
      const { refusal } = await apiKeys({ lookup: async () => found, address }).check(request)
      expect(refusal?.status).toBe(401)
    }
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

  test('parallel guesses are all counted', async () => {
    const clock = manualClock()
    const found: (() => void)[] = []
    const lookup = () => new Promise<undefined>((resolve) => found.push(() => resolve(undefined)))
    const known = apiKeys<Customer>({ lookup, address, clock })
    const request = () => ({ headers: { 'x-api-key': 'guess' } })
    const guesses = Array.from({ length: 30 }, () => known.check(request()))
    for (const resolve of found) resolve()
    await Promise.all(guesses)
    clock.advance(20 * 6_000)
    expect((await known.check(request())).refusal?.status).toBe(429)
    clock.advance(6_000)
    void known.check(request())
    expect(found).toHaveLength(31)
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

  test.each([
    ['no address', { keys }, 'address'],
    ['neither keys nor lookup', { address }, 'keys or lookup'],
    ['both', { keys, lookup: () => undefined, address }, 'keys or lookup'],
    ['keys that are not hashed', { keys: { [KEY]: { id: 'acme' } }, address }, 'keys'],
    ['an unknown header', { keys, address, header: 'cookie' }, 'header'],
    ['no options', undefined, 'apiKeys()'],
    ['an address that is not a function', { keys, address: '192.0.2.1' }, 'address'],
    ['a lookup that is not a function', { lookup: {}, address }, 'lookup'],
    ['keys in a Set, where every key would be unknown', { keys: new Set(Object.keys(keys)), address }, 'keys'],
    ['keys that are null', { keys: null, address }, 'keys'],
    ['failures that are one limit', { keys, address, failures: perMinute(10) }, 'failures'],
    ['failures that are not limits', { keys, address, failures: [10] }, 'failures'],
    ['failures that count requests', { keys, address, failures: [perMinute(1, { counts: 'requests' })] }, 'failures'],
    ['a clock that is not a function', { keys, address, clock: 0 }, 'clock'],
  ])('%s is an error at the start', (_name, options, subject) => {
    expect(() => apiKeys(options as never)).toThrow(
      expect.objectContaining({ code: 'RAIL_BAD_OPTION', message: expect.stringContaining(subject) }),
    )
  })

  test.each([
    ['an unknown option', { failure: [] }, 'RAIL_UNKNOWN_OPTION'],
    ['a failures limit written by hand', { failures: [{ ...perMinute(5), grain: 7 }] }, 'RAIL_BAD_LIMITS'],
    ['failures of one name', { failures: [perMinute(3), perMinute(5)] }, 'RAIL_DUPLICATE_NAME'],
  ])('%s is an error at the start', (_name, wrong, code) => {
    expect(() => apiKeys({ keys, address, ...wrong } as never)).toThrow(expect.objectContaining({ code }))
  })

  test('an error says what was expected, what came and what to write', () => {
    const inMap = { keys: new Map(Object.entries(keys)), address }
    expect(() => apiKeys(inMap as never)).toThrow(
      'keys: expected an object of hash and identity, got a Map. Write lookup: (hash) => map.get(hash).',
    )
  })

  test('an error about a key that is not hashed does not show the key', () => {
    expect(() => apiKeys({ keys: { [KEY]: { id: 'acme' } }, address })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(KEY) }),
    )
  })
})

describe('createKey', () => {
  test('returns its prefix with 256 bits in base64url, and the hash', () => {
    const { key, hash } = createKey('rail_live_')
    expect(key).toMatch(/^rail_live_[A-Za-z0-9_-]{43}$/)
    expect(hash).toBe(hashKey(key))
    expect(createKey().key).not.toBe(createKey().key)
  })

  test.each(['acme ', 'acmé_', 'acme\n', 7, null])(
    'a prefix of %j is an error: a header cannot contain the key',
    (prefix) => {
      expect(() => createKey(prefix as never)).toThrow(expect.objectContaining({ code: 'RAIL_BAD_OPTION' }))
    },
  )

  test('writes the bytes as the platform does', () => {
    for (let i = 0; i < 100; i++) {
      const text = createKey('').key
      expect(Buffer.from(text, 'base64url').toString('base64url')).toBe(text)
      expect(Buffer.from(text, 'base64url')).toHaveLength(32)
    }
  })

  test('hashes as FIPS 180-4 does', () => {
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
