import { describe, expect, it } from 'vitest'
import { ClientError } from '../src/index.js'
import { errorOf, inTurn, respond, stage, URL } from './support/stage.js'

const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT'
const ok = () => respond(200)

describe('Retry-After', () => {
  it.each([
    { form: 'seconds', headers: { 'Retry-After': '7' } },
    { form: 'an IMF-fixdate', headers: { 'Retry-After': 'Sun, 06 Nov 1994 08:49:44 GMT', Date: DATE } },
    { form: 'an RFC 850 date', headers: { 'Retry-After': 'Sunday, 06-Nov-94 08:49:44 GMT', Date: DATE } },
    { form: 'an asctime date', headers: { 'Retry-After': 'Sun Nov  6 08:49:44 1994', Date: DATE } },
  ])('in $form is respected after a 429 and a 503, to the millisecond without jitter', async ({ headers }) => {
    for (const status of [429, 503]) {
      const { world, client, arrivals } = stage(
        inTurn(() => respond(status, headers), ok),
        { jitter: 0, spread: 0 },
      )
      expect((await world.until(client(URL))).status).toBe(200)
      expect(arrivals.map(({ at }) => at)).toEqual([0, 7_000])
    }
  })

  it.each([
    { random: () => 0, at: 40_000 },
    { random: () => 0.5, at: 45_000 },
    { random: () => 0.999_999, at: 50_000 },
  ])('is a lower bound: jitter adds up to a quarter of it', async ({ random, at }) => {
    const refused = () => respond(429, { 'Retry-After': '40' })
    const { world, client, arrivals } = stage(inTurn(refused, ok), { random })
    await world.until(client(URL))
    expect(arrivals[1]?.at).toBeGreaterThanOrEqual(at - 1)
    expect(arrivals[1]?.at).toBeLessThanOrEqual(at)
  })

  it('is one cool-down for all calls of its scope: a hundred do not make a hundred refusals', async () => {
    let open = false
    const { world, client, arrivals } = stage(() => (open ? ok() : respond(429, { 'Retry-After': '5' })), {
      latencyMs: 10,
    })
    const first = client(URL)
    const others = Array.from({ length: 100 }, () => client(URL))
    world.timer(() => {
      open = true
    }, 17_000)
    await world.until(Promise.all([first, ...others]))
    const refused = arrivals.filter(({ at }) => at < 17_000 - 10).length
    expect(refused).toBeLessThanOrEqual(3)
    expect(arrivals).toHaveLength(101 + refused)
  })

  it('delays later calls too', async () => {
    const { world, client, arrivals } = stage(
      inTurn(() => respond(429, { 'Retry-After': '5' }), ok),
      { spread: 0, jitter: 0 },
    )
    const first = client(URL)
    await world.until(world.sleep(2_000))
    await world.until(Promise.all([first, client(URL)]))
    expect(arrivals.map(({ at }) => at)).toEqual([0, 5_000, 5_000])
  })

  it('does not delay another origin, nor another scope by option', async () => {
    const refuse = (nth: number) => (nth === 0 ? respond(429, { 'Retry-After': '60' }) : ok())
    const byKey = stage(refuse, { scope: ({ headers }) => headers.get('X-Key') ?? '' })
    const byOrigin = stage(refuse)
    for (const { world, client } of [byKey, byOrigin]) {
      const waiting = client(URL, { headers: { 'X-Key': 'a' } })
      await world.until(client('http://other.test/', { headers: { 'X-Key': 'b' } }))
      expect(world.now).toBe(0)
      await world.until(waiting)
      expect(world.now).toBeGreaterThanOrEqual(60_000)
    }
  })

  it('is prolonged, never shortened, by later answers', async () => {
    const waits = ['10', '4', '15']
    const { world, client, arrivals } = stage(
      (nth) => (nth < 3 ? respond(429, { 'Retry-After': waits[nth] as string }) : ok()),
      { pace: false, spread: 0, jitter: 0 },
    )
    await world.until(Promise.all([client(URL), client(URL), client(URL)]))
    expect(arrivals.slice(3).every(({ at }) => at >= 15_000)).toBe(true)
  })

  it('of 403 is respected, although a 403 is not repeated', async () => {
    const { world, client, arrivals } = stage(inTurn(() => respond(403, { 'Retry-After': '9' }), ok))
    expect((await world.until(client(URL))).status).toBe(403)
    await world.until(client(URL))
    expect(arrivals[1]?.at).toBeGreaterThanOrEqual(9_000)
  })

  it('takes precedence over a later reset', async () => {
    const sent = { 'Retry-After': '2', RateLimit: '"day";r=0;t=50000' }
    const { world, client, arrivals } = stage(
      inTurn(() => respond(429, sent), ok),
      { spread: 0, jitter: 0 },
    )
    await world.until(client(URL))
    expect(arrivals[1]?.at).toBe(2_000)
  })
})

describe('a refusal without a wait', () => {
  it('is followed by a wait until the used-up limit resets', async () => {
    const sent = { RateLimit: '"a";r=5;t=60, "b";r=0;t=8' }
    const { world, client, arrivals } = stage(
      inTurn(() => respond(429, sent), ok),
      { spread: 0, jitter: 0 },
    )
    await world.until(client(URL))
    expect(arrivals[1]?.at).toBe(8_000)
  })

  it('backs off with full jitter, together, twice as long each time', async () => {
    const refusals = 6
    const { world, client, arrivals } = stage((nth) => (nth < refusals ? respond(429) : ok()), {
      random: () => 0.5,
      retries: 10,
    })
    await world.until(Promise.all([client(URL), client(URL)]))
    // Half of 500 ms, 1 s, 2 s, 4 s, 8 s and 16 s; then the second call goes when the first is answered.
    expect(arrivals.map(({ at }) => at)).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 15_750, 15_750])
  })

  it('of Retry-After: 0 is not repeated at once', async () => {
    const { world, client, arrivals } = stage(
      inTurn(() => respond(429, { 'Retry-After': '0' }), ok),
      { random: () => 0.5 },
    )
    await world.until(client(URL))
    expect(arrivals[1]?.at).toBe(250)
  })
})

describe('the random part of a wait', () => {
  const sent = () => respond(429, { 'Retry-After': '10' })

  it('is drawn once for a cool-down, for any number of refused calls', async () => {
    // A largest of twenty draws would be near the most that can be added.
    const draws = [0.1, ...Array(100).fill(0.9)]
    const { world, client, arrivals } = stage((nth) => (nth < 20 ? sent() : ok()), {
      pace: false,
      latencyMs: 10,
      random: () => draws.shift() ?? 0,
    })
    await world.until(Promise.all(Array.from({ length: 20 }, () => client(URL))))
    expect(arrivals[20]?.at).toBe(10 + 10_000 + 500)
  })

  it('grows with each refusal in a row, and starts again after an allowed request', async () => {
    const answers = [sent, sent, ok, sent, ok]
    const { world, client, arrivals } = stage(inTurn(...answers), { random: () => 1 })
    await world.until(client(URL))
    await world.until(client(URL))
    const gaps = arrivals.slice(1).map(({ at }, index) => at - (arrivals[index]?.at ?? 0))
    expect(gaps).toEqual([15_000, 17_500, 0, 15_000])
  })

  it('is not reduced by an answer that was in flight when the cool-down began', async () => {
    const { world, client, arrivals } = stage(
      async (nth) => {
        if (nth === 1) await world.sleep(3_000)
        return nth === 0 || nth === 2 ? sent() : ok()
      },
      { pace: false, latencyMs: 10, random: () => 1 },
    )
    await world.until(Promise.all([client(URL), client(URL)]))
    expect(arrivals.map(({ at }) => at)).toEqual([0, 0, 15_010, 32_520])
  })
})

describe('a wait above maxWait', () => {
  const refusal = () => new Response('{"error":"rate_limited"}', { status: 429, headers: { 'Retry-After': '2592000' } })

  it('fails at once, with an error that has the time and the response', async () => {
    const { world, client, arrivals } = stage(refusal)
    world.now = 1_000
    const error = await world.until(errorOf(client(`${URL}links?token=secret`)))
    expect(error).toBeInstanceOf(ClientError)
    expect(world.now).toBe(1_000)
    expect(arrivals).toHaveLength(1)
    const { code, message, waitMs, retryAt, response } = error as ClientError
    expect(code).toBe('RAIL_WAIT_TOO_LONG')
    expect(waitMs).toBe(2_592_000_000)
    expect(retryAt?.getTime()).toBe(2_592_001_000)
    expect(await response?.json()).toEqual({ error: 'rate_limited' })
    expect(message).toBe(
      'GET http://api.test/links: expected a wait of at most 120 s (maxWait), got 2592000 s, until 1970-01-31T00:00:01.000Z. Call again then, or raise maxWait.',
    )
  })

  it('fails all waiting calls, and later ones until it is short enough', async () => {
    const { world, client, arrivals } = stage(
      inTurn(() => respond(429, { 'Retry-After': '100' }), ok),
      {
        maxWait: '60s',
        spread: 0,
        jitter: 0,
      },
    )
    const codes = await world.until(Promise.all([1, 2, 3].map(() => errorOf(client(URL)))))
    expect(codes).toMatchObject(Array(3).fill({ code: 'RAIL_WAIT_TOO_LONG', waitMs: 100_000 }))
    await world.until(world.sleep(30_000))
    expect(await world.until(errorOf(client(URL)))).toMatchObject({ waitMs: 70_000, response: undefined })
    await world.until(world.sleep(10_000))
    await world.until(client(URL))
    expect(arrivals.map(({ at }) => at)).toEqual([0, 100_000])
  })

  it('fails calls that wait when it is sent later, each with its own refusal', async () => {
    const waits = ['10', '1000']
    const { world, client } = stage(
      async (nth) => {
        if (nth === 1) await world.sleep(2_000)
        return respond(429, { 'Retry-After': waits[nth] as string, 'X-Nth': String(nth) })
      },
      { pace: false, latencyMs: 10 },
    )
    const errors = await world.until(Promise.all([errorOf(client(URL)), errorOf(client(URL))]))
    expect(errors).toMatchObject([{ waitMs: 1_000_000 }, { waitMs: 1_000_000 }])
    expect(errors.map((error) => (error as ClientError).response?.headers.get('X-Nth'))).toEqual(['0', '1'])
    expect(world.now).toBe(2_010)
  })

  it('fails a call before it is sent, after an earlier answer', async () => {
    const { world, client, arrivals } = stage(() => respond(200, { RateLimit: '"day";r=0;t=3600' }))
    await world.until(client(URL))
    expect(await world.until(errorOf(client(URL)))).toMatchObject({ code: 'RAIL_WAIT_TOO_LONG', waitMs: 3_600_000 })
    expect(arrivals).toHaveLength(1)
  })

  it('is respected with maxWait: Infinity, even beyond the longest timer', async () => {
    const { world, client, arrivals } = stage(inTurn(refusal, ok), {
      maxWait: Number.POSITIVE_INFINITY,
      spread: 0,
      jitter: 0,
    })
    await world.until(client(URL))
    expect(arrivals.map(({ at }) => at)).toEqual([0, 2_592_000_000])
  })
})

describe('a quota', () => {
  const TYPE = 'https://api.test/errors/quota'
  const problem = (type: string) =>
    new Response(JSON.stringify({ type, status: 429 }), {
      status: 429,
      headers: { 'Content-Type': 'application/problem+json; charset=utf-8', 'Retry-After': '1' },
    })

  it('whose problem type is listed fails at once, and its body can still be read', async () => {
    const { world, client, arrivals } = stage(() => problem(TYPE), { quotaTypes: [TYPE] })
    const error = (await world.until(errorOf(client(URL)))) as ClientError
    expect(error).toMatchObject({ code: 'RAIL_QUOTA_USED', waitMs: 1_000, retryAt: new Date(1_000) })
    expect(error.message).toBe(
      `GET ${URL}: refused because a quota is used up (${TYPE}). Call again at 1970-01-01T00:00:01.000Z.`,
    )
    expect(await error.response?.json()).toMatchObject({ type: TYPE })
    expect(arrivals).toHaveLength(1)
    // Nothing is left to wait for.
    await expect(world.until(new Promise(() => {}))).rejects.toThrow('it hangs')
    expect(world.now).toBe(0)
  })

  it('of another type, or without listed types, is followed by a wait', async () => {
    const other = stage(
      inTurn(() => problem('about:blank'), ok),
      { quotaTypes: [TYPE] },
    )
    const none = stage(inTurn(() => problem(TYPE), ok))
    for (const { world, client } of [other, none]) expect((await world.until(client(URL))).status).toBe(200)
  })

  it.each([
    ['never coming', new ReadableStream({})],
    ['broken', new ReadableStream({ start: (c) => c.error(new Error('reset')) })],
    ['no JSON', '<html>'],
    ['null', 'null'],
  ])('whose problem is %s is a plain refusal', async (is, body) => {
    const headers = { 'Content-Type': 'application/problem+json', 'Retry-After': '1' }
    const { world, client } = stage(
      inTurn(() => new Response(body, { status: 429, headers }), ok),
      { quotaTypes: [TYPE], spread: 0, jitter: 0 },
    )
    expect((await world.until(client(URL))).status).toBe(200)
    // It is read for 5 seconds at most.
    expect(world.now).toBe(is === 'never coming' ? 5_000 : 1_000)
  })

  it('whose problem is endless is not read beyond 64 kB', async () => {
    let kilobytes = 0
    const endless = new ReadableStream({
      pull: (controller) => {
        kilobytes++
        controller.enqueue(new Uint8Array(1_024).fill(0x20))
      },
    })
    const headers = { 'Content-Type': 'application/problem+json', 'Retry-After': '1' }
    const { world, client } = stage(
      inTurn(() => new Response(endless, { status: 429, headers }), ok),
      { quotaTypes: [TYPE] },
    )
    expect((await world.until(client(URL))).status).toBe(200)
    expect(kilobytes).toBeLessThan(100)
  })
})
