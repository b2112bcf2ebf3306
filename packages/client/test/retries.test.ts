import { describe, expect, it } from 'vitest'
import { createClient, type GiveUpEvent, type RetryEvent, withRateLimit } from '../src/index.js'
import { errorOf, inTurn, respond, stage, URL } from './support/stage.js'

type Body = NonNullable<RequestInit['body']>

const ok = () => respond(200)
const failed = () => respond(503)
const reset = () => new TypeError('fetch failed')

describe('a retry', () => {
  it.each([408, 429, 500, 502, 503, 504])('is made for a GET that was answered %i', async (status) => {
    const { world, client, arrivals } = stage(inTurn(() => respond(status), ok))
    expect((await world.until(client(URL))).status).toBe(200)
    expect(arrivals).toHaveLength(2)
  })

  it.each([200, 204, 304, 400, 401, 403, 404, 409, 422, 501])(
    'is not made for a GET that was answered %i',
    async (status) => {
      const { world, client, arrivals } = stage(() => respond(status))
      expect((await world.until(client(URL))).status).toBe(status)
      expect(arrivals).toHaveLength(1)
    },
  )

  it('is made for a GET whose connection broke, and the last error is thrown as it is', async () => {
    const one = stage(inTurn(reset, ok))
    expect((await one.world.until(one.client(URL))).status).toBe(200)
    const error = reset()
    const all = stage(() => error)
    expect(await all.world.until(errorOf(all.client(URL)))).toBe(error)
    expect(all.arrivals).toHaveLength(6)
  })

  it.each<[string, RequestInit]>([
    ['a GET with a body', { body: 'text' }],
    ['an unknown mode', { mode: 'somehow' as 'cors' }],
  ])('is not %s, which no fetch can send', async (_, init) => {
    let calls = 0
    const client = createClient({
      fetch: (input, given) => {
        calls++
        return fetch(input, given)
      },
    })
    expect(await errorOf(client(URL, init))).toBeInstanceOf(TypeError)
    expect(calls).toBe(1)
  })

  it.each([undefined, null, 'text', { status: 200 }, { status: 200, headers: null }])(
    'is not what a fetch answered with %j, which is no response',
    async (answer) => {
      let calls = 0
      const client = createClient({
        fetch: async () => {
          calls++
          return answer as unknown as Response
        },
      })
      expect(await errorOf(client(URL))).toMatchObject({ code: 'RAIL_BAD_OPTION' })
      expect([calls, client.state()[0]?.inFlight]).toEqual([1, 0])
    },
  )

  it('is not made after an error of a client behind this one', async () => {
    const { world, client, arrivals } = stage(() => respond(429, { 'Retry-After': '9999' }))
    expect(await world.until(errorOf(withRateLimit(client)(URL)))).toMatchObject({ code: 'RAIL_WAIT_TOO_LONG' })
    expect(arrivals).toHaveLength(1)
  })

  it('is made although the body of the request has been read', async () => {
    const events: GiveUpEvent[] = []
    const { world, client } = stage(() => reset(), { retries: 1, onGiveUp: (event) => events.push(event) })
    const request = new Request(URL, { method: 'PUT', body: 'text' })
    expect(await world.until(errorOf(client(request)))).toBeInstanceOf(TypeError)
    expect(events.map(({ reason }) => reason)).toEqual(['retries'])
  })

  it.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'put'])('is made for %s, which is idempotent', async (method) => {
    const { world, client } = stage(inTurn(failed, ok))
    expect((await world.until(client(URL, { method }))).status).toBe(200)
  })

  it.each(['POST', 'PATCH', 'post'])('is not made for %s: it may have been carried out', async (method) => {
    for (const answer of [failed, () => respond(429, { 'Retry-After': '1' })]) {
      const { world, client, arrivals } = stage(inTurn(answer, ok))
      expect((await world.until(client(URL, { method }))).ok).toBe(false)
      expect(arrivals).toHaveLength(1)
    }
    const broken = stage(inTurn(reset, ok))
    expect(await broken.world.until(errorOf(broken.client(URL, { method })))).toBeInstanceOf(TypeError)
  })

  it('is made for a POST with an Idempotency-Key, which stays the same', async () => {
    const { world, client, arrivals } = stage(inTurn(failed, reset, ok))
    const headers = { 'idempotency-key': 'mine' }
    expect((await world.until(client(URL, { method: 'POST', headers, body: 'text' }))).status).toBe(200)
    expect(arrivals.map((arrival) => arrival.headers.get('Idempotency-Key'))).toEqual(['mine', 'mine', 'mine'])
    expect(arrivals.map(({ body }) => body)).toEqual(['text', 'text', 'text'])
  })

  it('is not made for a POST with an empty Idempotency-Key, unless the client replaces it', async () => {
    const headers = { 'Idempotency-Key': '' }
    const { world, client, arrivals } = stage(inTurn(failed, ok))
    expect((await world.until(client(URL, { method: 'POST', headers }))).status).toBe(503)
    expect(arrivals).toHaveLength(1)
    const made = stage(inTurn(failed, ok), { idempotencyKey: true })
    expect((await made.world.until(made.client(URL, { method: 'POST', headers }))).status).toBe(200)
    expect(made.arrivals.map((arrival) => arrival.headers.get('Idempotency-Key')?.length)).toEqual([32, 32])
  })

  it('is made for a call that the option repeatable allows', async () => {
    const { world, client } = stage(inTurn(failed, ok), { repeatable: ({ url }) => url.endsWith('/search') })
    expect((await world.until(client(URL, { method: 'POST' }))).status).toBe(503)
    const search = stage(inTurn(failed, ok), { repeatable: ({ url }) => url.endsWith('/search') })
    expect((await search.world.until(search.client(`${URL}search`, { method: 'POST' }))).status).toBe(200)
  })
})

describe('an idempotency key', () => {
  it('is added to a POST and a PATCH: the same for all tries of a call, another for another call', async () => {
    const { world, client, arrivals } = stage(inTurn(failed, ok), { idempotencyKey: true })
    await world.until(client(URL, { method: 'POST', headers: { 'X-Other': '1' } }))
    await world.until(client(new Request(URL, { method: 'PATCH', body: 'x', headers: { 'X-Other': '1' } })))
    const [first, second, third] = arrivals.map(({ headers }) => headers.get('Idempotency-Key'))
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).toBe(first)
    expect(third).toMatch(/^[0-9a-f]{32}$/)
    expect(third).not.toBe(first)
    expect(arrivals.map(({ headers }) => headers.get('X-Other'))).toEqual(['1', '1', '1'])
    expect(arrivals[2]).toMatchObject({ method: 'PATCH', body: 'x' })
  })

  it('is not added to a request that needs none, or has one', async () => {
    const { world, client, arrivals } = stage(ok, { idempotencyKey: true })
    const headers = { 'Idempotency-Key': 'mine' }
    await world.until(
      Promise.all([client(URL), client(URL, { method: 'PUT' }), client(URL, { method: 'POST', headers })]),
    )
    expect(arrivals.map((arrival) => arrival.headers.get('Idempotency-Key'))).toEqual([null, null, 'mine'])
  })

  it('may be the caller’s own', async () => {
    const { world, client, arrivals } = stage(ok, { idempotencyKey: ({ url }) => `import-${url.length}` })
    await world.until(client(URL, { method: 'POST' }))
    expect(arrivals[0]?.headers.get('Idempotency-Key')).toBe(`import-${URL.length}`)
  })
})

describe('a body', () => {
  const bodies: [string, () => Body][] = [
    ['text', () => 'a=1'],
    ['URLSearchParams', () => new URLSearchParams('a=1')],
    ['bytes', () => new TextEncoder().encode('a=1')],
    ['an ArrayBuffer', () => new TextEncoder().encode('a=1').buffer as ArrayBuffer],
    ['a Blob', () => new Blob(['a=1'])],
  ]
  it.each(bodies)('that is %s is sent again', async (_, body) => {
    const { world, client, arrivals } = stage(inTurn(failed, reset, ok))
    await world.until(client(URL, { method: 'PUT', body: body() }))
    expect(arrivals.map((arrival) => arrival.body)).toEqual(['a=1', 'a=1', 'a=1'])
  })

  it('that is a form is sent again', async () => {
    const { world, client, arrivals } = stage(inTurn(failed, ok))
    const body = new FormData()
    body.set('a', '1')
    await world.until(client(URL, { method: 'PUT', body }))
    for (const arrival of arrivals) expect(arrival.body).toMatch(/name="a"\r\n\r\n1\r\n/)
  })

  it('of a Request is sent again as often as necessary, and the caller’s Request stays unread', async () => {
    const { world, client, arrivals } = stage(inTurn(failed, reset, failed, ok))
    await world.until(client(new Request(URL, { method: 'PUT', body: 'text' })))
    expect(arrivals.map(({ body }) => body)).toEqual(['text', 'text', 'text', 'text'])
  })

  it.each<[string, () => Body]>([
    ['a stream', () => new Blob(['a=1']).stream()],
    [
      'an async iterator',
      () =>
        (async function* () {
          yield new TextEncoder().encode('a=1')
        })() as unknown as Body,
    ],
  ])('that is %s is sent once, and the answer is the caller’s', async (_, body) => {
    const gaveUp: GiveUpEvent[] = []
    const { world, client, arrivals } = stage(failed, { onGiveUp: (event) => gaveUp.push(event) })
    const init = { method: 'PUT', body: body(), duplex: 'half' } as RequestInit
    expect((await world.until(client(URL, init))).status).toBe(503)
    expect(arrivals).toMatchObject([{ body: 'a=1' }])
    expect(gaveUp).toMatchObject([{ reason: 'stream' }])
  })
})

describe('waits between tries', () => {
  it('are drawn from zero to base * 2^n, at most the cap', async () => {
    const draw = (random: () => number) => {
      const { world, client, arrivals } = stage(failed, { random, retries: 8, backoff: { base: '100ms', cap: '2s' } })
      return world
        .until(client(URL))
        .then(() => arrivals.slice(1).map(({ at }, index) => Math.round(at - (arrivals[index]?.at ?? 0))))
    }
    expect(await draw(() => 0)).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
    expect(await draw(() => 0.999_999)).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000])
    expect(await draw(() => 0.25)).toEqual([25, 50, 100, 200, 400, 500, 500, 500])
  })

  it('do not delay other calls: a failure is not a refusal', async () => {
    const { world, client, arrivals } = stage((_, { url }) => (url.endsWith('bad') ? failed() : ok()), {
      random: () => 0.9,
      retries: 1,
    })
    const bad = client(`${URL}bad`)
    await world.until(client(`${URL}good`))
    expect(world.now).toBe(0)
    await world.until(bad)
    expect(arrivals).toHaveLength(3)
  })

  it('end when the caller aborts', async () => {
    const { world, client, arrivals } = stage(failed, { random: () => 0.9 })
    const controller = new AbortController()
    const call = errorOf(client(URL, { signal: controller.signal }))
    world.timer(() => controller.abort(new Error('enough')), 100)
    expect(await world.until(call)).toEqual(new Error('enough'))
    expect(world.now).toBe(100)
    expect(arrivals).toHaveLength(1)
  })
})

describe('a call that is aborted in flight', () => {
  it('fails as fetch does, and is not repeated', async () => {
    const events: unknown[] = []
    const { world, client, arrivals } = stage(failed, { latencyMs: 100, onRetry: (event) => events.push(event) })
    const controller = new AbortController()
    const call = errorOf(client(URL, { signal: controller.signal }))
    world.timer(() => controller.abort('enough'), 50)
    expect(await world.until(call)).toBe('enough')
    expect(arrivals).toHaveLength(1)
    expect(events).toEqual([])
  })
})

describe('retries end', () => {
  it.each([0, 1, 3])('after `retries`, %i, with the last response', async (retries) => {
    const gaveUp: GiveUpEvent[] = []
    const events: RetryEvent[] = []
    const { world, client, arrivals } = stage((nth) => respond(503, { 'X-Nth': String(nth) }), {
      retries,
      onGiveUp: (event) => gaveUp.push(event),
      onRetry: (event) => events.push(event),
    })
    const response = await world.until(client(URL))
    expect(response.headers.get('X-Nth')).toBe(String(retries))
    expect(arrivals).toHaveLength(retries + 1)
    expect(events.map(({ retry }) => retry)).toEqual(Array.from({ length: retries }, (_, index) => index + 1))
    expect(gaveUp).toMatchObject([{ reason: 'retries', scope: 'http://api.test', call: { method: 'GET', url: URL } }])
    expect(gaveUp[0]?.response).toBe(response)
  })

  it('when they exceed the budget of all requests', async () => {
    const reasons: string[] = []
    const options = { retryBudget: 0.1, retryReserve: 5, onGiveUp: ({ reason }: GiveUpEvent) => reasons.push(reason) }
    const { world, client, arrivals } = stage(failed, options)
    for (let call = 0; call < 200; call++) await world.until(client(URL))
    expect(arrivals.length).toBeLessThanOrEqual(200 + 200 * 0.1 + 5)
    expect(arrivals.length).toBeGreaterThan(200 + 200 * 0.1)
    expect(reasons).toHaveLength(200)
    expect(new Set(reasons)).toEqual(new Set(['retries', 'budget']))
  })

  it('but a 429 is not charged to the budget: the server is not failing', async () => {
    let nth = 0
    const { world, client } = stage(() => (nth++ % 2 === 0 ? respond(429, { 'Retry-After': '1' }) : ok()), {
      retryBudget: 0,
      retryReserve: 0,
    })
    for (let call = 0; call < 20; call++) expect((await world.until(client(URL))).status).toBe(200)
  })
})
