import { describe, expect, it } from 'vitest'
import { createClient, type GiveUpEvent, type WaitEvent } from '../src/index.js'
import { errorOf, inTurn, respond, stage, URL } from './support/stage.js'

const ok = () => respond(200)
const paths = (arrivals: readonly { readonly url: string }[]) => arrivals.map(({ url }) => url.slice(URL.length))

describe('the first call to a server', () => {
  it('is sent alone, and its answer allows the next', async () => {
    const { world, client, arrivals } = stage(() => respond(200, { RateLimit: '"a";r=99;t=60' }), { latencyMs: 50 })
    await world.until(Promise.all(Array.from({ length: 50 }, () => client(URL))))
    expect(arrivals.map(({ at }) => at)).toEqual([0, ...Array(49).fill(50)])
  })

  it('is followed by twice as many each time, later by one more, if answers have no limits', async () => {
    const { world, client, arrivals } = stage(ok, { latencyMs: 10 })
    await world.until(Promise.all(Array.from({ length: 63 }, () => client(URL))))
    const rounds = [0, 10, 20, 30, 40, 50, 60].map((round) => arrivals.filter(({ at }) => at === round).length)
    expect(rounds).toEqual([1, 2, 4, 8, 8, 9, 10])
  })

  it('is not followed by a flood after a quiet hour, if answers have no limits', async () => {
    const { world, client, arrivals } = stage(ok, { latencyMs: 10 })
    await world.until(client(URL))
    await world.until(world.sleep(3_600_000))
    await world.until(Promise.all(Array.from({ length: 40 }, () => client(URL))))
    expect(arrivals.filter(({ at }) => at === arrivals[1]?.at)).toHaveLength(2)
  })

  it('does not delay the others for ever when it is not answered', async () => {
    const { world, client, arrivals } = stage((nth) => (nth === 0 ? new Promise(() => {}) : ok()))
    const unanswered = client(URL)
    await world.until(Promise.all(Array.from({ length: 20 }, () => client(URL))))
    expect(arrivals).toHaveLength(21)
    expect(world.now).toBeLessThan(5_000)
    void unanswered
  })

  it('delays nothing without pacing', async () => {
    const { world, client, arrivals } = stage(ok, { latencyMs: 10, pace: false })
    await world.until(Promise.all(Array.from({ length: 50 }, () => client(URL))))
    expect(arrivals.every(({ at }) => at === 0)).toBe(true)
  })
})

describe('the last of a quota', () => {
  it('is spread over the time until it resets', async () => {
    let left = 10
    const { world, client, arrivals } = stage(() =>
      respond(200, {
        'RateLimit-Limit': '100',
        'RateLimit-Remaining': String(left--),
        'RateLimit-Reset': String(Math.ceil((10_000 - world.now) / 1_000)),
      }),
    )
    await world.until(Promise.all(Array.from({ length: 11 }, () => client(URL))))
    const gaps = arrivals.slice(1).map(({ at }, index) => at - (arrivals[index]?.at ?? 0))
    for (const gap of gaps) expect(gap).toBeGreaterThan(700)
    expect(world.now).toBeLessThanOrEqual(10_000)
  })

  it('is not spread while plenty is left', async () => {
    let left = 100
    const { world, client } = stage(() =>
      respond(200, { 'RateLimit-Limit': '100', 'RateLimit-Remaining': String(left--), 'RateLimit-Reset': '60' }),
    )
    await world.until(Promise.all(Array.from({ length: 80 }, () => client(URL))))
    expect(world.now).toBe(0)
  })

  it('is never delayed longer than maxWait for the sake of spreading', async () => {
    let left = 10
    const { world, client, arrivals } = stage(
      () => respond(200, { RateLimit: `"hour";r=${left--};t=3000`, 'RateLimit-Policy': '"hour";q=5000;w=3600' }),
      {
        maxWait: '60s',
      },
    )
    await world.until(Promise.all([1, 2, 3].map(() => client(URL))))
    expect(arrivals.map(({ at }) => at)).toEqual([0, 60_000, 120_000])
  })

  it('is spread by all limits at once, the nearest first', async () => {
    let left = 3
    const { world, client, arrivals } = stage(() =>
      respond(200, {
        'RateLimit-Policy': '"s";q=10;w=1, "d";q=1000;w=86400',
        RateLimit: `"s";r=9;t=1, "d";r=${left--};t=90`,
      }),
    )
    await world.until(Promise.all(Array.from({ length: 4 }, () => client(URL))))
    expect(arrivals[1]?.at).toBeGreaterThanOrEqual(90_000 / 4)
  })

  it('is known for each limit, even if a style sends one at a time without a name', async () => {
    const hour = { 'RateLimit-Limit': '300', 'RateLimit-Remaining': '2', 'RateLimit-Reset': '60' }
    const second = { 'RateLimit-Limit': '10', 'RateLimit-Remaining': '9', 'RateLimit-Reset': '1' }
    const { world, client, arrivals } = stage((nth) => respond(200, nth === 0 ? hour : second), {
      latencyMs: 10,
      reserve: 0,
    })
    await world.until(client(URL))
    await world.until(client(URL))
    await world.until(Promise.all([1, 2, 3, 4].map(() => client(URL))))
    expect(arrivals.map(({ at }) => at)).toEqual([0, 10, 20, 20, 30, 30])
  })

  it('is not changed by a response from a cache', async () => {
    const { world, client } = stage(() => respond(200, { Age: '30', RateLimit: '"a";r=0;t=60' }))
    for (let call = 0; call < 5; call++) await world.until(client(URL))
    expect(world.now).toBe(0)
    expect(client.state()[0]?.limits).toEqual([])
  })

  it('is presumed spent by requests that break off, except for one', async () => {
    const limited = () => respond(200, { RateLimit: '"a";r=3;t=100' })
    const { world, client, arrivals } = stage(
      (nth) => (nth === 0 || nth > 3 ? limited() : new TypeError('fetch failed')),
      {
        latencyMs: 10,
        retries: 0,
        reserve: 0,
      },
    )
    await world.until(client(URL))
    await world.until(Promise.all([1, 2, 3].map(() => errorOf(client(URL)))))
    await world.until(Promise.all([1, 2].map(() => client(URL))))
    // Three break off at once; then one goes, and the other waits for its answer.
    expect(arrivals.map(({ at }) => at)).toEqual([0, 10, 10, 10, 20, 30])
  })

  it('is not used up by a server that is unreachable for a short time', async () => {
    const { world, client } = stage(
      (nth) => (nth === 0 ? respond(200, { RateLimit: '"day";r=9;t=80000' }) : new TypeError('fetch failed')),
      { retries: 0, reserve: 0 },
    )
    await world.until(client(URL))
    for (let call = 0; call < 20; call++) expect(await world.until(errorOf(client(URL)))).toBeInstanceOf(TypeError)
  })

  it('is followed by one request after the reset, and the others wait for its answer', async () => {
    let reset = false
    const { world, client, arrivals } = stage(
      () => respond(200, { RateLimit: reset ? '"a";r=50;t=60' : '"a";r=0;t=60' }),
      { latencyMs: 100 },
    )
    await world.until(client(URL))
    reset = true
    await world.until(Promise.all(Array.from({ length: 20 }, () => client(URL))))
    expect(arrivals.map(({ at }) => at)).toEqual([0, 60_100, ...Array(19).fill(60_200)])
  })

  it('is not withheld by a request that takes long', async () => {
    const { world, client, arrivals } = stage(
      (nth) =>
        nth === 1 ? new Promise(() => {}) : respond(200, { RateLimit: nth === 0 ? '"a";r=1;t=10' : '"a";r=9;t=60' }),
      { reserve: 0 },
    )
    await world.until(client(URL))
    void client(URL)
    await world.until(Promise.all([client(URL), client(URL)]))
    expect(arrivals.map(({ at }) => at)).toEqual([0, 0, 10_000, 10_000])
  })
})

describe('the queue', () => {
  const refuseFirst = (after = '10') => inTurn(() => respond(429, { 'Retry-After': after }), ok)

  it('is first come, first served, and a retry keeps its place', async () => {
    const { world, client, arrivals } = stage(refuseFirst(), { latencyMs: 5 })
    await world.until(Promise.all(['a', 'b', 'c', 'd', 'e'].map((path) => client(URL + path))))
    expect(paths(arrivals)).toEqual(['a', 'a', 'b', 'c', 'd', 'e'])
  })

  it('drops an aborted call with the signal’s reason; the others keep their order', async () => {
    const { world, client, arrivals } = stage(refuseFirst(), { latencyMs: 5 })
    const controller = new AbortController()
    const calls = ['a', 'b', 'c'].map((path) =>
      client(URL + path, path === 'b' ? { signal: controller.signal } : {}).then(() => path, String),
    )
    world.timer(() => controller.abort('not any more'), 3_000)
    expect(await world.until(Promise.all(calls))).toEqual(['a', 'not any more', 'c'])
    expect(paths(arrivals)).toEqual(['a', 'a', 'c'])
  })

  it('is not changed by the signal of a call that has ended', async () => {
    const { world, client, arrivals } = stage(
      (nth) => (nth === 1 || nth === 2 ? respond(429, { 'Retry-After': '10' }) : ok()),
      {
        latencyMs: 5,
      },
    )
    const controller = new AbortController()
    await world.until(client(`${URL}a`, { signal: controller.signal }))
    const waiting = ['b', 'c'].map((path) => client(URL + path))
    await world.until(world.sleep(1_000))
    controller.abort()
    await world.until(Promise.all(waiting))
    expect(paths(arrivals)).toEqual(['a', 'b', 'c', 'b', 'c'])
  })

  it('does not accept a call that was aborted before, by its signal or its Request’s', async () => {
    const { world, client, arrivals } = stage(ok)
    const signal = AbortSignal.abort('never')
    expect(await world.until(errorOf(client(URL, { signal })))).toBe('never')
    expect(await world.until(errorOf(client(new Request(URL, { signal }))))).toBe('never')
    expect(arrivals).toHaveLength(0)
  })

  it('accepts maxQueue calls, and fails others with a clear error', async () => {
    const gaveUp: GiveUpEvent[] = []
    const { world, client, arrivals } = stage(refuseFirst(), {
      maxQueue: 3,
      latencyMs: 5,
      onGiveUp: (event) => gaveUp.push(event),
    })
    const calls = Array.from({ length: 5 }, (_, index) =>
      client(`${URL}${index}`).then(
        () => 'served',
        (error) => error,
      ),
    )
    const outcomes = await world.until(Promise.all(calls))
    expect(outcomes.map((outcome) => outcome.code ?? outcome)).toEqual([
      'served',
      'served',
      'served',
      'served',
      'RAIL_QUEUE_FULL',
    ])
    expect(outcomes[4].message).toBe(
      'GET http://api.test/4: not sent, because 3 calls to http://api.test are waiting already (maxQueue). Make fewer calls at once.',
    )
    expect(gaveUp).toMatchObject([{ reason: 'queue', error: { code: 'RAIL_QUEUE_FULL' } }])
    expect(arrivals).toHaveLength(5)
  })

  it('accepts a retry even if it is full', async () => {
    const { world, client } = stage((nth) => (nth < 2 ? respond(429, { 'Retry-After': '10' }) : ok()), {
      maxQueue: 1,
      latencyMs: 5,
      pace: false,
    })
    const refused = [client(URL), client(URL)]
    expect((await world.until(Promise.all(refused))).map(({ status }) => status)).toEqual([200, 200])
  })

  it('of maxQueue: 0 is empty: a call that would wait fails', async () => {
    const { world, client } = stage(() => respond(429, { 'Retry-After': '60' }), { maxQueue: 0, retries: 0 })
    expect((await world.until(client(URL))).status).toBe(429)
    expect(await world.until(errorOf(client(URL)))).toMatchObject({ code: 'RAIL_QUEUE_FULL' })
  })

  it('leaves no timer when the last call is sent or aborted', async () => {
    const { world, client } = stage(refuseFirst('60'))
    const controller = new AbortController()
    const call = errorOf(client(URL, { signal: controller.signal }))
    await world.until(world.sleep(1_000))
    controller.abort()
    await world.until(call)
    await expect(world.until(new Promise(() => {}))).rejects.toThrow('it hangs')
    expect(world.now).toBe(1_000)
  })
})

describe('events', () => {
  it('report waits: why, how long, and the calls before', async () => {
    const waits: WaitEvent[] = []
    const refuse = inTurn(() => respond(429, { 'Retry-After': '10' }), ok)
    const { world, client } = stage(refuse, { spread: 0, jitter: 0, onWait: (event) => waits.push(event) })
    const first = client(`${URL}a`)
    await world.until(world.sleep(4_000))
    await world.until(Promise.all([first, client(`${URL}b`)]))
    expect(waits).toMatchObject([
      { reason: 'cool-down', waitMs: 10_000, ahead: 0, scope: 'http://api.test', call: { url: `${URL}a` } },
      { reason: 'cool-down', waitMs: 6_000, ahead: 1, call: { url: `${URL}b` } },
    ])
  })

  it('that throw have no effect', async () => {
    const fail = (): never => {
      throw new Error('from a hook')
    }
    const { world, client } = stage(
      inTurn(() => respond(503), ok),
      { onWait: fail, onRetry: fail, onGiveUp: fail },
    )
    expect((await world.until(client(URL))).status).toBe(200)
    const final = stage(() => respond(503), { onGiveUp: fail, retries: 0 })
    expect((await final.world.until(final.client(URL))).status).toBe(503)
  })
})

describe('state()', () => {
  it('has the state of each scope', async () => {
    const answer = inTurn(
      () => respond(200, { 'RateLimit-Policy': '"per_minute";q=100;w=60', RateLimit: '"per_minute";r=40;t=36' }),
      () => respond(429, { 'Retry-After': '10' }),
    )
    const { world, client } = stage(answer, { spread: 0, jitter: 0, retries: 0, maxWait: '5s' })
    expect(client.state()).toEqual([])
    await world.until(client(URL))
    await world.until(client(URL))
    await world.until(world.sleep(6_000))
    expect(client.state()).toEqual([
      {
        scope: 'http://api.test',
        waiting: 0,
        inFlight: 0,
        hold: { reason: 'cool-down', waitMs: 4_000 },
        limits: [{ name: 'per_minute', quota: 100, windowMs: 60_000, remaining: 40, resetAfterMs: 30_000 }],
      },
    ])
  })

  it('keeps at most ten thousand scopes if all of them have to wait, the most recently used', async () => {
    const client = createClient({ fetch: async () => respond(200, { RateLimit: '"per_day";r=0;t=86400' }) })
    const names = Array.from({ length: 10_050 }, (_, nth) => `http://${nth}.test`)
    for (const name of names) await client(`${name}/`)
    expect(client.state().map(({ scope }) => scope)).toEqual(names.slice(50))
  })

  it('keeps at most a thousand scopes and 32 limits, with any names', async () => {
    const { world, client } = stage((nth) => respond(200, { RateLimit: `"limit${nth}";r=9;t=1` }))
    for (let nth = 0; nth < 1_100; nth++) await world.until(client(`http://${nth < 50 ? 'one' : nth}.test/`))
    expect(client.state()).toHaveLength(1_000)
    expect(client.state().map(({ scope }) => scope)).toContain('http://1099.test')
    const many = stage((nth) => respond(200, { RateLimit: `"limit${nth}";r=9;t=1` }))
    for (let nth = 0; nth < 50; nth++) await many.world.until(many.client(URL))
    expect(many.client.state()[0]?.limits).toHaveLength(32)
  })
})
