import { parseHeaders } from '@rail/core/read'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ClientError } from '../src/index.js'
import { respond, stage, URL } from './support/stage.js'

const number = fc.oneof(
  fc.integer({ min: -5, max: 100 }).map(String),
  fc.constantFrom(
    '2147483',
    '2147484',
    '2592000',
    '1e3',
    '1.5',
    'NaN',
    'Infinity',
    '-0',
    '+5',
    '0x10',
    '',
    ' 7 ',
    '9'.repeat(15),
    '9'.repeat(400),
  ),
  fc.integer({ min: 1_600_000_000, max: 2_000_000_000 }).map(String),
)
const date = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
  .map((moment) => moment.toUTCString())
const noise = fc.stringMatching(/^[ -~]{0,40}$/)
const item = fc
  .tuple(
    fc.constantFrom('"a"', '"b"', 'a', '"', '("a")', 'limit', '100'),
    fc.constantFrom(';r=', ';a=', ';R=', ' ;r=', '='),
    number,
    fc.constantFrom(';t=', ';w=', ';', ', '),
    number,
  )
  .map((parts) => parts.join(''))
const value = fc.oneof(
  number,
  date,
  noise,
  item,
  fc.array(item, { maxLength: 3 }).map((items) => items.join(', ')),
)

const names = [
  ...[
    'Retry-After',
    'retry-after-ms',
    'RateLimit',
    'RateLimit-Policy',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
  ],
  ...[
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-RateLimit-Reset-After',
    'X-RateLimit',
    'Date',
    'Age',
  ],
  ...['x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens', 'anthropic-ratelimit-requests-reset', 'Content-Type'],
]
const headers = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 })
const answer = fc.record({
  status: fc.constantFrom(200, 200, 204, 304, 403, 408, 429, 429, 429, 500, 503, 503),
  headers,
  body: fc.constantFrom(null, '', '{', 'null', '{"type":1}', '{"type":"quota"}'),
})

describe('with any headers of a server', () => {
  it('nothing hangs, nothing is sent too early, and only the client’s own errors are thrown', async () => {
    const program = fc.record({
      answers: fc.array(answer, { minLength: 1, maxLength: 12 }),
      calls: fc.integer({ min: 1, max: 12 }),
      maxWait: fc.constantFrom(1_000, 120_000, 90 * 86_400_000),
      pace: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(program, async ({ answers, calls, maxWait, pace }) => {
        const waits: { from: number; until: number }[] = []
        const early: number[] = []
        const { world, client } = stage(
          async (nth, { at }) => {
            // No two answers come at one moment, so that what is known when is clear.
            await world.sleep(10 + nth / 1_000)
            // What was in flight when a refusal came cannot have known of it.
            if (waits.some(({ from, until }) => at >= from && at < until)) early.push(at)
            const { status, headers, body } = answers[nth % answers.length] as (typeof answers)[number]
            const wait = parseHeaders(headers, world.now).retryAfterMs ?? 0
            if ([403, 429, 503].includes(status)) waits.push({ from: world.now, until: world.now + wait })
            return new Response([204, 304].includes(status) ? null : body, { status, headers })
          },
          { maxWait, pace, quotaTypes: ['quota'] },
        )
        for (let round = 0; round < 3; round++) {
          const outcomes = Array.from({ length: calls }, () => client(URL).catch((error: unknown) => error))
          for (const outcome of await world.until(Promise.all(outcomes))) {
            expect(outcome instanceof Response || outcome instanceof ClientError).toBe(true)
          }
        }
        expect(early).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  it('a malformed wait is ignored: the client backs off, and does not sleep for ever', async () => {
    for (const wait of ['abc', 'NaN', '-5', '{}', '"', '9999999999999x']) {
      const { world, client, arrivals } = stage((nth) =>
        respond(nth === 0 ? 429 : 200, { 'Retry-After': nth === 0 ? wait : '' }),
      )
      await world.until(client(URL))
      expect(arrivals[1]?.at).toBeLessThan(500)
    }
  })
})
