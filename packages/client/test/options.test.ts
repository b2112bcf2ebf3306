import { RailError } from '@rail/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ClientError, type ClientOptions, createClient, withRateLimit } from '../src/index.js'
import { errorOf, respond, stage, URL } from './support/stage.js'

describe('wrong options', () => {
  it.each<[string, object, string]>([
    ['mistyped', { maxWiat: '1m' }, 'RAIL_UNKNOWN_OPTION'],
    ['mistyped inside', { backoff: { bse: '1s' } }, 'RAIL_UNKNOWN_OPTION'],
    ['maxWait', { maxWait: '1 minute' }, 'RAIL_BAD_DURATION'],
    ['maxWait: 0', { maxWait: 0 }, 'RAIL_BAD_DURATION'],
    ['spread', { spread: -1 }, 'RAIL_BAD_DURATION'],
  ])('are errors when the client is made: %s', (_, options, code) => {
    expect(() => createClient(options as ClientOptions)).toThrow(expect.objectContaining({ code }))
  })

  it.each<[keyof ClientOptions, unknown]>([
    ['fetch', 'fetch'],
    ['pace', 1],
    ['reserve', 1.1],
    ['maxQueue', -1],
    ['retries', 1.5],
    ['retryBudget', Number.NaN],
    ['jitter', Number.POSITIVE_INFINITY],
    ['quotaTypes', 'quota'],
    ['idempotencyKey', 'key'],
    ['onWait', {}],
  ])('are errors with the option’s name when the client is made: %s', (name, value) => {
    expect(() => createClient({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'RAIL_BAD_OPTION', message: expect.stringMatching(`^${name}: `) }),
    )
  })

  it.each<[string, ClientOptions['scope'] | ClientOptions['idempotencyKey'], string]>([
    ['scope', (async () => 'mine') as never, 'an object'],
    ['scope', (() => undefined) as never, 'undefined'],
    ['scope', () => ({}) as never, 'an object'],
    ['idempotencyKey', (async () => 'row-1') as never, 'an object'],
    ['idempotencyKey', () => 1 as never, '1'],
    ['idempotencyKey', (() => undefined) as never, 'undefined'],
  ])('are errors of a call if %s does not return a string, and nothing is sent', async (name, option, returned) => {
    const { client, arrivals } = stage(() => respond(200), { [name]: option })
    const error = await errorOf(client(URL, { method: 'POST' }))
    expect(error).toMatchObject({
      code: 'RAIL_BAD_OPTION',
      message: `${name}(): expected a string, got ${returned}. Return it directly, not in a promise.`,
    })
    expect([arrivals.length, client.state().length]).toEqual([0, 0])
  })

  it.each(['', ' '])('are errors of a call if the idempotency key is %j', async (key) => {
    const { client, arrivals } = stage(() => respond(200), { idempotencyKey: () => key })
    expect(await errorOf(client(URL, { method: 'POST' }))).toMatchObject({
      code: 'RAIL_BAD_OPTION',
      message: expect.stringMatching(/^idempotencyKey\(\): /),
    })
    expect(arrivals).toHaveLength(0)
  })

  it('are not those that are undefined', () => {
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

  it('are an error of a call if the clock returns no number', async () => {
    const client = createClient({ fetch: async () => respond(200), clock: () => Number.NaN })
    expect(await errorOf(client(URL))).toMatchObject({
      code: 'RAIL_BAD_CLOCK',
      message: expect.stringMatching(/^clock\(\): .*NaN/),
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

describe('the option fetch', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('is the runtime’s at the time of a call, or the one that is given', async () => {
    const client = createClient()
    vi.stubGlobal('fetch', async () => respond(204))
    expect((await client(URL)).status).toBe(204)
    expect((await withRateLimit(async () => respond(202))(URL)).status).toBe(202)
  })

  it('refuses an invalid URL itself: nothing is limited or repeated', async () => {
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
  it('is cancelled before the call is repeated, so that its connection is free', async () => {
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
  it('has a message for a wait beyond the largest date too', async () => {
    const { world, client } = stage(() => respond(429, { 'Retry-After': '9'.repeat(30) }))
    const error = (await world.until(errorOf(client(URL)))) as ClientError
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toBeInstanceOf(RailError)
    expect(error.message).toContain('until later than the largest date')
  })
})
