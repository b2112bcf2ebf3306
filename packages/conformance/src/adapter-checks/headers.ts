import { expect } from 'vitest'
import { check, expectHeaders, railHeaders, times } from './check.js'

const POLICY = '"per_minute";q=5;w=60'
const STATE = '"per_minute";r=4;t=12'

/** Headers of allowed requests, whatever their response is. */
export const headerChecks = [
  check('the headers are on an ordinary answer', 'five-per-minute', async (app) => {
    const answer = await app.get()
    expect([answer.status, answer.body]).toEqual([200, 'ok'])
    expectHeaders(answer, POLICY, STATE)
  }),
  check('the headers are there when a handler throws an error', 'five-per-minute', async (app) => {
    const answer = await app.get('/error')
    expect(answer.status).toBe(500)
    expectHeaders(answer, POLICY, STATE)
  }),
  check(
    'the headers are there when a handler throws a string',
    'five-per-minute',
    async (app) => {
      const answer = await app.get('/string-error')
      expect(answer.status).toBe(500)
      expectHeaders(answer, POLICY, STATE)
    },
    'thrown-string',
  ),
  check("the headers are there when the app's own error handler answers", 'custom-errors', async (app) => {
    const answer = await app.get('/error')
    expect([answer.status, answer.body]).toEqual([500, 'the handler failed'])
    expectHeaders(answer, POLICY, STATE)
    const { handled, failed } = await app.seen()
    expect({ handled, failed }).toEqual({ handled: 1, failed: ['the handler failed'] })
  }),
  check('the headers are there when a handler of a nested router throws', 'five-per-minute', async (app) => {
    const answer = await app.get('/nested/error')
    expect(answer.status).toBe(500)
    expectHeaders(answer, POLICY, STATE)
  }),
  check('a path that is not found is counted and has the headers', 'five-per-minute', async (app) => {
    const answer = await app.get('/missing')
    expect(answer.status).toBe(404)
    expectHeaders(answer, POLICY, STATE)
    expect(await app.statuses(5, '/missing')).toEqual([404, 404, 404, 404, 429])
  }),
  check('the headers are on a 204', 'five-per-minute', async (app) => {
    const answer = await app.get('/no-content')
    expect([answer.status, answer.body]).toEqual([204, ''])
    expectHeaders(answer, POLICY, STATE)
  }),
  check('the headers are on a 304', 'five-per-minute', async (app) => {
    const answer = await app.get('/not-modified', { headers: { 'If-None-Match': '"1"' } })
    expect([answer.status, answer.header('ETag')]).toEqual([304, '"1"'])
    expectHeaders(answer, POLICY, STATE)
  }),
  check('the headers are on a redirect', 'five-per-minute', async (app) => {
    const answer = await app.get('/redirect')
    expect([answer.status, answer.header('Location')]).toEqual([302, '/elsewhere'])
    expectHeaders(answer, POLICY, STATE)
  }),
  check('a HEAD request is counted as its GET and has the headers', 'five-per-minute', async (app) => {
    const answer = await app.get('/', { method: 'HEAD' })
    expect(answer.status).toBe(200)
    expectHeaders(answer, POLICY, STATE)
    expect((await app.get()).header('RateLimit')).toBe('"per_minute";r=3;t=24')
  }),
  check('the headers are on a streamed body, which comes whole', 'five-per-minute', async (app) => {
    const answer = await app.get('/stream')
    expect([answer.status, answer.body]).toEqual([200, 'one two three'])
    expectHeaders(answer, POLICY, STATE)
  }),
  check('the headers are on a response that goes past the framework', 'five-per-minute', async (app) => {
    const answer = await app.get('/raw')
    expect([answer.status, answer.body, answer.header('X-Raw')]).toEqual([202, 'raw', 'yes'])
    expectHeaders(answer, POLICY, STATE)
  }),
  check('headers of another service that a handler passes on are sent beside ours', 'five-per-minute', async (app) => {
    for (const path of ['/own-fields', '/raw-own-fields']) {
      const answer = await app.get(path)
      expect(answer.header('RateLimit-Policy')?.split(', ').sort()).toEqual([POLICY, '"upstream";q=5;w=5'].sort())
      expect(answer.header('RateLimit')).toMatch(/"per_minute";r=\d;t=\d\d/)
      expect(answer.header('RateLimit')).toContain('"upstream";r=4;t=1')
    }
  }),
  check(
    'headers that are set before the limiter are sent beside ours, and the larger Retry-After wins',
    'behind-proxy',
    async (app) => {
      expect((await app.get()).header('RateLimit')).toBe('"edge";r=8;t=1, "per_minute";r=0;t=60')
      const refused = await app.get()
      expect(railHeaders(refused)).toEqual({
        'RateLimit-Policy': '"edge";q=9;w=9, "per_minute";q=1;w=60',
        RateLimit: '"edge";r=8;t=1, "per_minute";r=0;t=60',
        'Retry-After': '90',
      })
    },
  ),
  check('two limiters make two lists and one Retry-After', 'two-limiters', async (app) => {
    const from = { headers: { 'x-address': '203.0.113.7' } }
    const first = await app.get('/', from)
    expectHeaders(first, '"per_minute";q=10;w=60, "address";q=2;w=10', '"per_minute";r=9;t=6, "address";r=1;t=5')
    await app.get('/', from)
    const refused = await app.get('/', from)
    expect(railHeaders(refused)).toEqual({
      'RateLimit-Policy': '"per_minute";q=10;w=60, "address";q=2;w=10',
      RateLimit: '"per_minute";r=7;t=18, "address";r=0;t=5',
      'Retry-After': '5',
    })
    expect([refused.lines('RateLimit'), refused.lines('Retry-After')]).toEqual([1, 1])
  }),
  check('names are escaped as in structured fields', 'quoted-names', async (app) => {
    expectHeaders(await app.get(), '"a\\"; q=9\\\\";q=5;w=60', '"a\\"; q=9\\\\";r=4;t=12')
  }),
  check('headers that are off leave Retry-After on refusals', 'no-headers', async (app) => {
    expect(railHeaders(await app.get())).toEqual({})
    expect(railHeaders(await app.get())).toEqual({ 'Retry-After': '60' })
  }),
  check('exposed names are sent beside those that CORS exposes, on refusals too', 'behind-cors', async (app) => {
    const answers = [await app.get(), await app.get()]
    expect(answers.map((answer) => answer.status)).toEqual([200, 429])
    expect(answers.map((answer) => answer.header('Access-Control-Expose-Headers'))).toEqual([
      'X-Request-Id, RateLimit-Policy, RateLimit',
      'X-Request-Id, RateLimit-Policy, RateLimit, Retry-After',
    ])
    expect(answers.map((answer) => answer.header('Access-Control-Allow-Origin'))).toEqual(
      times(2, 'https://app.example'),
    )
  }),
  check('an anonymous request has no headers and is not counted', 'five-per-minute', async (app) => {
    const visit = { anonymous: true }
    expect(await app.statuses(7, '/', visit)).toEqual(times(7, 200))
    expect(railHeaders(await app.get('/', visit))).toEqual({})
    expect((await app.seen()).decisions).toBe(0)
  }),
  check('a customer whose plan has no limits has no headers and is not counted', 'plans', async (app) => {
    const visit = { headers: { 'x-plan': 'internal' } }
    expect(await app.statuses(7, '/', visit)).toEqual(times(7, 200))
    expect(railHeaders(await app.get('/', visit))).toEqual({})
  }),
  check('a skipped request has no headers and is not counted', 'skip', async (app) => {
    const skipped = { headers: { 'x-skip': 'yes' } }
    expect(await app.statuses(3, '/', skipped)).toEqual([200, 200, 200])
    expect(railHeaders(await app.get('/', skipped))).toEqual({})
    expect(await app.statuses(2)).toEqual([200, 429])
  }),
  check('a dry run counts and reports, but sends no headers and refuses nobody', 'dry-run', async (app) => {
    expect(await app.statuses(5)).toEqual(times(5, 200))
    const answer = await app.get('/rail')
    expect(railHeaders(answer)).toEqual({})
    expect(JSON.parse(answer.body).rail).toEqual({ allowed: false, remaining: [0] })
    expect((await app.seen()).decisions).toBe(6)
  }),
]
