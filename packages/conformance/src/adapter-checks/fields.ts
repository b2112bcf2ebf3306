import { expect } from 'vitest'
import { check, expectFields, railFields, times } from './check.js'

const POLICY = '"per_minute";q=5;w=60'
const STATE = '"per_minute";r=4;t=12'

/** Header fields of requests that are let in, whatever becomes of them. */
export const fieldChecks = [
  check('the fields are on an ordinary answer', 'five-per-minute', async (app) => {
    const answer = await app.get()
    expect([answer.status, answer.body]).toEqual([200, 'ok'])
    expectFields(answer, POLICY, STATE)
  }),
  check('the fields are there when a handler throws an error', 'five-per-minute', async (app) => {
    const answer = await app.get('/error')
    expect(answer.status).toBe(500)
    expectFields(answer, POLICY, STATE)
  }),
  check(
    'the fields are there when a handler throws a text',
    'five-per-minute',
    async (app) => {
      const answer = await app.get('/text-error')
      expect(answer.status).toBe(500)
      expectFields(answer, POLICY, STATE)
    },
    'thrown-text',
  ),
  check("the fields are there when the app's own error handler answers", 'custom-errors', async (app) => {
    const answer = await app.get('/error')
    expect([answer.status, answer.body]).toEqual([500, 'the handler failed'])
    expectFields(answer, POLICY, STATE)
    const { handled, failed } = await app.seen()
    expect({ handled, failed }).toEqual({ handled: 1, failed: ['the handler failed'] })
  }),
  check('the fields are there when a handler of a nested router throws', 'five-per-minute', async (app) => {
    const answer = await app.get('/nested/error')
    expect(answer.status).toBe(500)
    expectFields(answer, POLICY, STATE)
  }),
  check('a path that is not found is counted and has the fields', 'five-per-minute', async (app) => {
    const answer = await app.get('/missing')
    expect(answer.status).toBe(404)
    expectFields(answer, POLICY, STATE)
    expect(await app.statuses(5, '/missing')).toEqual([404, 404, 404, 404, 429])
  }),
  check('the fields are on a 204', 'five-per-minute', async (app) => {
    const answer = await app.get('/no-content')
    expect([answer.status, answer.body]).toEqual([204, ''])
    expectFields(answer, POLICY, STATE)
  }),
  check('the fields are on a 304', 'five-per-minute', async (app) => {
    const answer = await app.get('/not-modified', { headers: { 'If-None-Match': '"1"' } })
    expect([answer.status, answer.field('ETag')]).toEqual([304, '"1"'])
    expectFields(answer, POLICY, STATE)
  }),
  check('the fields are on a redirect', 'five-per-minute', async (app) => {
    const answer = await app.get('/redirect')
    expect([answer.status, answer.field('Location')]).toEqual([302, '/elsewhere'])
    expectFields(answer, POLICY, STATE)
  }),
  check('a HEAD request is counted as its GET and has the fields', 'five-per-minute', async (app) => {
    const answer = await app.get('/', { method: 'HEAD' })
    expect(answer.status).toBe(200)
    expectFields(answer, POLICY, STATE)
    expect((await app.get()).field('RateLimit')).toBe('"per_minute";r=3;t=24')
  }),
  check('the fields are on a streamed body, which comes whole', 'five-per-minute', async (app) => {
    const answer = await app.get('/stream')
    expect([answer.status, answer.body]).toEqual([200, 'one two three'])
    expectFields(answer, POLICY, STATE)
  }),
  check('the fields are on a response that goes past the framework', 'five-per-minute', async (app) => {
    const answer = await app.get('/raw')
    expect([answer.status, answer.body, answer.field('X-Raw')]).toEqual([202, 'raw', 'yes'])
    expectFields(answer, POLICY, STATE)
  }),
  check('fields of another service that a handler passes on stand beside ours', 'five-per-minute', async (app) => {
    for (const path of ['/own-fields', '/raw-own-fields']) {
      const answer = await app.get(path)
      expect(answer.field('RateLimit-Policy')?.split(', ').sort()).toEqual([POLICY, '"upstream";q=5;w=5'].sort())
      expect(answer.field('RateLimit')).toMatch(/"per_minute";r=\d;t=\d\d/)
      expect(answer.field('RateLimit')).toContain('"upstream";r=4;t=1')
    }
  }),
  check(
    'fields that are there before the limiter stand beside ours, and the larger Retry-After wins',
    'behind-proxy',
    async (app) => {
      expect((await app.get()).field('RateLimit')).toBe('"edge";r=8;t=1, "per_minute";r=0;t=60')
      const refused = await app.get()
      expect(railFields(refused)).toEqual({
        'RateLimit-Policy': '"edge";q=9;w=9, "per_minute";q=1;w=60',
        RateLimit: '"edge";r=8;t=1, "per_minute";r=0;t=60',
        'Retry-After': '90',
      })
    },
  ),
  check('two limiters make two lists and one Retry-After', 'two-limiters', async (app) => {
    const from = { headers: { 'x-address': '203.0.113.7' } }
    const first = await app.get('/', from)
    expectFields(first, '"per_minute";q=10;w=60, "address";q=2;w=10', '"per_minute";r=9;t=6, "address";r=1;t=5')
    await app.get('/', from)
    const refused = await app.get('/', from)
    expect(railFields(refused)).toEqual({
      'RateLimit-Policy': '"per_minute";q=10;w=60, "address";q=2;w=10',
      RateLimit: '"per_minute";r=7;t=18, "address";r=0;t=5',
      'Retry-After': '5',
    })
    expect([refused.lines('RateLimit'), refused.lines('Retry-After')]).toEqual([1, 1])
  }),
  check('names are escaped as structured fields ask for', 'quoted-names', async (app) => {
    expectFields(await app.get(), '"a\\"; q=9\\\\";q=5;w=60', '"a\\"; q=9\\\\";r=4;t=12')
  }),
  check('headers that are off leave Retry-After on refusals', 'no-headers', async (app) => {
    expect(railFields(await app.get())).toEqual({})
    expect(railFields(await app.get())).toEqual({ 'Retry-After': '60' })
  }),
  check('exposed names stand beside those that CORS exposes, on refusals too', 'behind-cors', async (app) => {
    const answers = [await app.get(), await app.get()]
    expect(answers.map((answer) => answer.status)).toEqual([200, 429])
    expect(answers.map((answer) => answer.field('Access-Control-Expose-Headers'))).toEqual([
      'X-Request-Id, RateLimit-Policy, RateLimit',
      'X-Request-Id, RateLimit-Policy, RateLimit, Retry-After',
    ])
    expect(answers.map((answer) => answer.field('Access-Control-Allow-Origin'))).toEqual(
      times(2, 'https://app.example'),
    )
  }),
  check('an anonymous request has no fields and is not counted', 'five-per-minute', async (app) => {
    const visit = { anonymous: true }
    expect(await app.statuses(7, '/', visit)).toEqual(times(7, 200))
    expect(railFields(await app.get('/', visit))).toEqual({})
    expect((await app.seen()).decisions).toBe(0)
  }),
  check('a customer whose plan has no limits has no fields and is not counted', 'plans', async (app) => {
    const visit = { headers: { 'x-plan': 'internal' } }
    expect(await app.statuses(7, '/', visit)).toEqual(times(7, 200))
    expect(railFields(await app.get('/', visit))).toEqual({})
  }),
  check('a skipped request has no fields and is not counted', 'skip', async (app) => {
    const skipped = { headers: { 'x-skip': 'yes' } }
    expect(await app.statuses(3, '/', skipped)).toEqual([200, 200, 200])
    expect(railFields(await app.get('/', skipped))).toEqual({})
    expect(await app.statuses(2)).toEqual([200, 429])
  }),
  check('a dry run counts and tells, but sends no fields and refuses nobody', 'dry-run', async (app) => {
    expect(await app.statuses(5)).toEqual(times(5, 200))
    const answer = await app.get('/rail')
    expect(railFields(answer)).toEqual({})
    expect(JSON.parse(answer.body).rail).toEqual({ allowed: false, remaining: [0] })
    expect((await app.seen()).decisions).toBe(6)
  }),
  check(
    'preflights are not counted where the limiter is told so; other OPTIONS requests are',
    'skip-preflights',
    async (app) => {
      const preflight = {
        method: 'OPTIONS',
        headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' },
      }
      const answer = await app.get('/', preflight)
      expect([answer.status === 429, railFields(answer)]).toEqual([false, {}])
      await app.get('/', preflight)
      const options = [
        await app.get('/', { method: 'OPTIONS' }),
        await app.get('/', { method: 'OPTIONS', headers: { Origin: 'https://app.example' } }),
      ]
      expect(options.map((other) => other.field('RateLimit'))).toEqual([
        '"per_minute";r=1;t=30',
        '"per_minute";r=0;t=30',
      ])
      expect((await app.get('/', { method: 'OPTIONS' })).status).toBe(429)
      expect((await app.get('/', { headers: preflight.headers })).status).toBe(429)
    },
  ),
  check(
    'what looks like a preflight and carries credentials is counted all the same',
    'skip-preflights',
    async (app) => {
      const preflight = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' }
      const asked = [
        await app.get('/', { method: 'OPTIONS', headers: { ...preflight, Authorization: 'Bearer key' } }),
        await app.get('/', { method: 'OPTIONS', headers: { ...preflight, Cookie: 'session=1' } }),
      ]
      expect(asked.map((answer) => answer.field('RateLimit'))).toEqual([
        '"per_minute";r=1;t=30',
        '"per_minute";r=0;t=30',
      ])
      const refused = await app.get('/', { method: 'OPTIONS', headers: { ...preflight, Authorization: 'Bearer key' } })
      expect(refused.status).toBe(429)
    },
  ),
  check("preflights with a customer's key are counted unless told otherwise", 'count-preflights', async (app) => {
    const preflight = {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' },
    }
    await app.statuses(2, '/', preflight)
    expect(await app.statuses(1, '/', preflight)).toEqual([429])
    expect(await app.statuses(1)).toEqual([429])
  }),
]
