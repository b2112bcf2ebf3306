import { expect } from 'vitest'
import { check, railHeaders, statusesOf, times } from './check.js'

const BODY = '{"error":"rate_limited","retry_after":60}'

/** The response to a refused request. */
export const refusalChecks = [
  check('a refusal is 429 with a JSON body, exactly its type, and not to be stored', 'skip', async (app) => {
    await app.get()
    const refused = await app.get()
    expect([refused.status, refused.body, refused.header('Content-Type'), refused.header('Cache-Control')]).toEqual([
      429,
      BODY,
      'application/json',
      'no-store',
    ])
    expect(refused.header('Retry-After')).toBe('60')
  }),
  check('a refused request never reaches the handler', 'five-per-minute', async (app) => {
    await app.statuses(9)
    expect((await app.seen()).handled).toBe(5)
  }),
  check('a refusal is not to be stored, whatever Cache-Control was set before', 'behind-cors', async (app) => {
    expect((await app.get()).header('Cache-Control')).toBe('public, max-age=300')
    const refused = await app.get()
    expect([refused.header('Cache-Control'), refused.lines('Cache-Control')]).toEqual(['no-store', 1])
  }),
  check('a refused HEAD request has the headers and no body', 'skip', async (app) => {
    await app.get()
    const text = await app.pipeline([{ path: '/', method: 'HEAD' }])
    const [head, body] = text.split('\r\n\r\n') as [string, string]
    expect([head.split('\r\n')[0]?.slice(0, 12), body]).toEqual(['HTTP/1.1 429', ''])
    expect(head).toMatch(/\r\nRetry-After: 60(\r\n|$)/i)
    expect(head).toMatch(/\r\nContent-Type: application\/json(\r\n|$)/i)
  }),
  check(
    'a connection goes on after a refused request with a body',
    'five-per-minute',
    async (app) => {
      const post = { path: '/', method: 'POST', body: 'x'.repeat(100_000), headers: { 'Content-Type': 'text/plain' } }
      const text = await app.pipeline([...times(6, post), { path: '/' }])
      expect(statusesOf(text)).toEqual([...times(5, 200), 429, 429])
    },
    'unread-body',
  ),
  check('a cost that can never fit is 422 without a wait, and is reported once', 'five-per-minute', async (app) => {
    const refused = await app.get('/', { cost: 6 })
    expect([refused.status, refused.body]).toEqual([422, '{"error":"cost_too_large","most":5}'])
    expect(railHeaders(refused)).toEqual({ 'RateLimit-Policy': '"per_minute";q=5;w=60', RateLimit: '"per_minute";r=5' })
    expect([refused.header('x-should-retry'), refused.header('Cache-Control')]).toEqual(['false', 'no-store'])
    await app.get('/', { cost: 7 })
    expect((await app.seen()).reported).toEqual(['RAIL_NEVER_FITS'])
    expect((await app.get()).header('RateLimit')).toBe('"per_minute";r=4;t=12')
  }),
  check('a refusal with problem() is problem details, with their own type', 'problem', async (app) => {
    await app.get()
    const refused = await app.get()
    expect([refused.status, refused.header('Content-Type')]).toEqual([429, 'application/problem+json'])
    expect(JSON.parse(refused.body)).toEqual({
      type: 'https://api.example/problems/limits',
      title: 'Too fast',
      status: 429,
      detail: 'acme waits 60000 ms.',
      instance: '/here',
      'violated-policies': ['per_minute'],
    })
  }),
  check('jitter lengthens Retry-After and the body alike, and never t', 'jitter', async (app) => {
    await app.get()
    const waits = new Set<number>()
    for (let refusal = 0; refusal < 40; refusal++) {
      const refused = await app.get()
      const wait = Number(refused.header('Retry-After'))
      expect(refused.body).toBe(`{"error":"rate_limited","retry_after":${wait}}`)
      expect(refused.header('RateLimit')).toBe('"per_minute";r=0;t=60')
      waits.add(wait)
    }
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(60)
    expect(Math.max(...waits)).toBeLessThanOrEqual(90)
    // 40 draws from 31 values are all equal once in 31^39 runs.
    expect(waits.size).toBeGreaterThan(1)
  }),
  ...[
    { reply: 'json', type: 'application/json', body: '{"message":"slow down","wait":60,"status":200}', reported: [] },
    { reply: 'text', type: 'text/plain; charset=utf-8', body: 'Slow down.', reported: [] },
    { reply: 'typed', type: 'text/html', body: '<p>Slow down.</p>', reported: [] },
    { reply: 'later', type: 'application/json', body: '"later"', reported: [] },
    { reply: 'unknown-member', type: 'application/json', body: '"slow down"', reported: ['RAIL_HOOK_FAILED'] },
    { reply: 'throws', type: 'application/json', body: BODY, reported: ['RAIL_HOOK_FAILED'] },
    { reply: 'rejects', type: 'application/json', body: BODY, reported: ['RAIL_HOOK_FAILED'] },
    { reply: 'nonsense', type: 'application/json', body: BODY, reported: ['RAIL_HOOK_FAILED'] },
    { reply: 'wrong-type', type: 'application/json', body: BODY, reported: ['RAIL_HOOK_FAILED'] },
  ].map(({ reply, type, body, reported }) =>
    check(
      `onReject that gives ${reply} changes the body at most, never status or headers`,
      'on-reject',
      async (app) => {
        await app.get()
        const refused = await app.get('/', { headers: { 'x-reply': reply } })
        expect([refused.status, refused.header('Content-Type'), refused.body]).toEqual([429, type, body])
        expect([refused.header('Retry-After'), refused.header('Cache-Control')]).toEqual(['60', 'no-store'])
        expect(refused.header('RateLimit')).toBe('"per_minute";r=0;t=60')
        const seen = await app.seen()
        expect([seen.reported, seen.failed, seen.handled]).toEqual([reported, [], 1])
      },
    ),
  ),
  check('a client that left while the limiter waited does no harm', 'shared-promise', async (app) => {
    await app.statuses(3)
    const gone = app.send('/', { headers: { 'x-together': '2' } })
    await app.waiting(1)
    await gone.left()
    // Two answers on other connections: by then the server has seen the end of the first.
    await app.seen()
    await app.seen()
    expect((await app.get('/', { headers: { 'x-together': '2' } })).status).toBe(429)
    const { handled, failed } = await app.seen()
    expect({ handled, failed }).toEqual({ handled: 3, failed: [] })
  }),
  check('a refusal that comes after a timeout has answered does no harm', 'timeout', async (app) => {
    const together = (count: number): { headers: Record<string, string> } => ({
      headers: { 'x-together': String(count) },
    })
    const answers = [
      await app.get('/hang', together(1)),
      await app.get('/', together(2)),
      await app.get('/', together(2)),
    ]
    expect(answers.map((answer) => answer.status)).toEqual([504, 504, 504])
    const { failed, waiting } = await app.seen()
    expect({ failed, waiting }).toEqual({ failed: [], waiting: 0 })
  }),
  check(
    'a timeout that answers after the limiter has the headers',
    'timeout-later',
    async (app) => {
      const answer = await app.get('/hang')
      expect([answer.status, answer.body]).toEqual([504, 'timeout'])
      expect(railHeaders(answer)).toEqual({
        'RateLimit-Policy': '"per_minute";q=5;w=60',
        RateLimit: '"per_minute";r=4;t=12',
      })
    },
    'decision-at-once',
  ),
]
