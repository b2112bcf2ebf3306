import { RailError } from '@rail/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ClientError, type ClientOptions, createClient, withRateLimit } from '../src/index.js'
import { errorOf, respond, stage, URL } from './support/stage.js'

describe('options that are wrong', () => {
  it.each<[string, object, string]>([
    ['mistyped', { maxWiat: '1m' }, 'A client has no option "maxWiat". Did you mean "maxWait"?'],
    ['mistyped inside', { backoff: { bse: '1s' } }, 'The option backoff has no option "bse". Did you mean "base"?'],
    ['fetch', { fetch: 'fetch' }, 'The option fetch is a function like fetch, got "fetch". Give one, or leave it out.'],
    ['pace', { pace: 1 }, 'The option pace is true or false, got 1. Give one, or leave it out.'],
    ['reserve', { reserve: 1.1 }, 'The option reserve is a number from 0 to 1, got 1.1. Give one, or leave it out.'],
    ['maxWait', { maxWait: '1 minute' }, "A duration is text like '10s'"],
    ['maxWait: 0', { maxWait: 0 }, "A duration is text like '10s'"],
    ['maxQueue', { maxQueue: -1 }, 'The option maxQueue is a whole number from 0, got -1. Give one, or leave it out.'],
    ['retries', { retries: 1.5 }, 'The option retries is a whole number from 0, got 1.5. Give one, or leave it out.'],
    [
      'retryBudget',
      { retryBudget: Number.NaN },
      'The option retryBudget is a number from 0 to 1, got NaN. Give one, or leave it out.',
    ],
    [
      'jitter',
      { jitter: Number.POSITIVE_INFINITY },
      'The option jitter is a number from 0, got Infinity. Give one, or leave it out.',
    ],
    ['spread', { spread: -1 }, "A duration is text like '10s'"],
    [
      'quotaTypes',
      { quotaTypes: 'quota' },
      'The option quotaTypes is an array of problem types, got "quota". Give one, or leave it out.',
    ],
    [
      'idempotencyKey',
      { idempotencyKey: 'key' },
      'The option idempotencyKey is true, false, or a function that returns a key, got "key". Give one, or leave it out.',
    ],
    ['onWait', { onWait: {} }, 'The option onWait is a function, got an object. Give one, or leave it out.'],
  ])('are errors when the client is made: %s', (_, options, message) => {
    expect(() => createClient(options as ClientOptions)).toThrow(RailError)
    expect(() => createClient(options as ClientOptions)).toThrow(message)
  })

  it.each<[string, ClientOptions['scope'] | ClientOptions['idempotencyKey'], string]>([
    ['scope', (async () => 'mine') as never, 'an object'],
    ['scope', (() => undefined) as never, 'undefined'],
    ['scope', () => ({}) as never, 'an object'],
    ['idempotencyKey', (async () => 'row-1') as never, 'an object'],
    ['idempotencyKey', () => 1 as never, '1'],
    ['idempotencyKey', (() => undefined) as never, 'undefined'],
  ])('are errors of a call where %s returns no text, and nothing is sent', async (name, option, returned) => {
    const { client, arrivals } = stage(() => respond(200), { [name]: option })
    const error = await errorOf(client(URL, { method: 'POST' }))
    expect(error).toMatchObject({
      code: 'RAIL_BAD_OPTION',
      message: `The option ${name} returns a text; it returned ${returned}. Return one, and no promise of one.`,
    })
    expect([arrivals.length, client.state().length]).toEqual([0, 0])
  })

  it.each(['', ' '])('are errors of a call where the idempotency key is %j, which is none to a server', async (key) => {
    const { client, arrivals } = stage(() => respond(200), { idempotencyKey: () => key })
    expect(await errorOf(client(URL, { method: 'POST' }))).toMatchObject({
      code: 'RAIL_BAD_OPTION',
      message: `The option idempotencyKey returns a text that is not empty; it returned ${JSON.stringify(key)}. Return a key for each write.`,
    })
    expect(arrivals).toHaveLength(0)
  })

  it('may be undefined, each of them', () => {
    const names = [
      'fetch',
      'scope',
      'pace',
      'reserve',
      'maxWait',
      'maxQueue',
      'retries',
      'retryBudget',
      'retryReserve',
      'backoff',
      'jitter',
      'spread',
      'repeatable',
      'idempotencyKey',
      'quotaTypes',
      'onWait',
      'onRetry',
      'onGiveUp',
      'clock',
      'timer',
      'random',
    ]
    expect(() => createClient(Object.fromEntries(names.map((name) => [name, undefined])))).not.toThrow()
    expect(() => createClient({ backoff: { base: undefined, cap: undefined } })).not.toThrow()
  })

  it('are a clock that tells no number', async () => {
    const client = createClient({ fetch: async () => respond(200), clock: () => Number.NaN })
    expect(await errorOf(client(URL))).toMatchObject({
      code: 'RAIL_BAD_CLOCK',
      message: 'A clock returns milliseconds, a finite number; it returned NaN. Return them as Date.now does.',
    })
  })
})

describe('a client', () => {
  it('fits wherever a fetch is wanted, and takes any fetch', async () => {
    const client: typeof fetch = createClient({ fetch: async () => respond(204) })
    const wrapped: typeof fetch = withRateLimit(client)
    expect((await wrapped(new globalThis.URL(URL), { method: 'PUT' })).status).toBe(204)
    expect(() => withRateLimit(fetch)).not.toThrow()
  })
})

describe('the fetch behind', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('is the runtime’s at the time of a call, or the one that is given', async () => {
    const client = createClient()
    vi.stubGlobal('fetch', async () => respond(204))
    expect((await client(URL)).status).toBe(204)
    expect((await withRateLimit(async () => respond(202))(URL)).status).toBe(202)
  })

  it('refuses by itself what is no URL: nothing is limited or tried again', async () => {
    const error = new TypeError('Invalid URL')
    const calls: unknown[] = []
    const client = createClient({
      fetch: async (input) => {
        calls.push(input)
        throw error
      },
    })
    expect(await errorOf(client('not a URL'))).toBe(error)
    expect(calls).toEqual(['not a URL'])
    expect(client.state()).toEqual([])
  })

  it('may be an older one, whose bodies are streams of another kind', async () => {
    const old = () => Object.assign(respond(503), { body: { pipe: () => {} } })
    let calls = 0
    const client = createClient({ fetch: async () => (calls++ === 0 ? old() : respond(200)), backoff: { base: '1ms' } })
    expect((await client(URL)).status).toBe(200)
  })
})

describe('a refused body', () => {
  it('is let go before the call is made again, so that its connection is free', async () => {
    const bodies: ReadableStream[] = []
    const { world, client } = stage((nth) => {
      const response = new Response(nth === 0 ? 'refused' : 'served', { status: nth === 0 ? 503 : 200 })
      bodies.push(response.body as ReadableStream)
      return response
    })
    expect(await (await world.until(client(URL))).text()).toBe('served')
    expect((await bodies[0]?.getReader().read())?.done).toBe(true)
  })
})

describe('a ClientError', () => {
  it('says a wait that no date can hold, too', async () => {
    const { world, client } = stage(() => respond(429, { 'Retry-After': '9'.repeat(30) }))
    const error = (await world.until(errorOf(client(URL)))) as ClientError
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toBeInstanceOf(RailError)
    expect(error.message).toContain('until later than a date can say')
  })
})
