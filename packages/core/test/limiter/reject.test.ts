import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  type LimiterOptions,
  manualClock,
  type Outcome,
  perMinute,
  type Refusal,
  type RejectReply,
  type Store,
} from '../../src/index.js'

interface Asked {
  readonly path: string
}

const DEFAULT = { type: 'application/json', body: '{"error":"rate_limited","retry_after":60}' }

/** The second request of a limiter of one a minute. */
async function refusedWith(onReject: unknown, options: Partial<LimiterOptions<Asked>> = {}) {
  const errors: unknown[] = []
  const limiter = createLimiter<Asked>({
    identify: () => 'acme',
    limits: [perMinute(1)],
    clock: manualClock(),
    onReject: onReject as LimiterOptions<Asked>['onReject'],
    onError: (error: unknown) => errors.push(error),
    ...options,
  } as LimiterOptions<Asked>)
  await limiter.take({ path: '/first' })
  const answer = limiter.take({ path: '/links' })
  return { answer, outcome: await answer, errors }
}

const fieldsOf = ({ headers }: Outcome) => headers.map(({ name, value }) => `${name}: ${value}`)

describe('onReject', () => {
  const circular: { self?: unknown } = {}
  circular.self = circular

  test.each<[string, RejectReply, { type: string; body: string }]>([
    ['an object', { json: { error: 'slow_down' } }, { type: 'application/json', body: '{"error":"slow_down"}' }],
    ['any JSON', { json: null }, { type: 'application/json', body: 'null' }],
    ['a list', { json: [1, 'é'] }, { type: 'application/json', body: '[1,"é"]' }],
    ['text', { text: 'Slow down' }, { type: 'text/plain; charset=utf-8', body: 'Slow down' }],
    ['no text', { text: '' }, { type: 'text/plain; charset=utf-8', body: '' }],
    [
      'text of another type',
      { text: '<p>Slow down</p>', type: 'text/html' },
      { type: 'text/html', body: '<p>Slow down</p>' },
    ],
    ['text of no type', { text: 'x', type: undefined }, { type: 'text/plain; charset=utf-8', body: 'x' }],
  ])('may send %s; status and headers stay', async (_, reply, sent) => {
    const { outcome, errors } = await refusedWith(() => reply)
    expect(outcome.refusal).toMatchObject({ status: 429, retryAfter: 60, ...sent })
    expect(fieldsOf(outcome)).toEqual([
      'RateLimit-Policy: "per_minute";q=1;w=60',
      'RateLimit: "per_minute";r=0;t=60',
      'Retry-After: 60',
      'Cache-Control: no-store',
    ])
    expect(errors).toEqual([])
  })

  test('is given the refusal, its decision, and the request', async () => {
    const seen: [Refusal, Asked][] = []
    await refusedWith((refusal: Refusal, request: Asked) => void seen.push([refusal, request]))
    expect(seen).toEqual([
      [
        expect.objectContaining({
          status: 429,
          retryAfter: 60,
          ...DEFAULT,
          decision: expect.objectContaining({ allowed: false }),
        }),
        { path: '/links' },
      ],
    ])
  })

  test('may be asynchronous', async () => {
    const { answer, outcome } = await refusedWith(async () => ({ text: 'later' }))
    expect(answer).toHaveProperty('then')
    expect(outcome.refusal?.body).toBe('later')
  })

  test('leaves the default where it returns undefined, and tells nobody', async () => {
    for (const onReject of [() => undefined, async () => undefined]) {
      const { outcome, errors } = await refusedWith(onReject)
      expect(outcome.refusal).toMatchObject(DEFAULT)
      expect(errors).toEqual([])
    }
  })

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('boom')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('boom')
      },
    ],
    [
      'throws a text',
      () => {
        throw 'boom'
      },
    ],
    ['returns null', () => null],
    ['returns a text', () => 'Slow down'],
    ['returns a number', () => 429],
    ['returns an object of another shape', () => ({ status: 418 })],
    ['returns a body that is no JSON', () => ({ json: circular })],
    ['returns no body', () => ({ json: undefined })],
    ['returns a function as its body', () => ({ json: () => 1 })],
    ['returns a text that is none', () => ({ text: 7 })],
    ['returns a type with a line break', () => ({ text: 'x', type: 'text/html\r\nX-Evil: 1' })],
    ['returns a type that is none', () => ({ text: 'x', type: 7 })],
    ['returns an empty type', () => ({ text: 'x', type: '' })],
  ])('that %s is told to onError, and the default is sent: a refusal stays a refusal', async (_, onReject) => {
    const { outcome, errors } = await refusedWith(onReject)
    expect(outcome.refusal).toMatchObject({ status: 429, retryAfter: 60, ...DEFAULT })
    expect(fieldsOf(outcome)).toHaveLength(4)
    expect(errors).toEqual([expect.objectContaining({ code: 'RAIL_HOOK_FAILED' })])
  })

  test('is not asked about requests that go on, nor in a dry run', async () => {
    let asked = 0
    const onReject = () => void asked++
    await refusedWith(onReject, { limits: [perMinute(9)] } as Partial<LimiterOptions<Asked>>)
    await refusedWith(onReject, { dryRun: true })
    expect(asked).toBe(0)
  })

  test('replaces the body of a 503 too', async () => {
    const gone = () => Promise.reject(new Error('gone'))
    const store: Store = { take: gone, peek: gone, settle: gone, reset: gone }
    const { outcome } = await refusedWith((refusal: Refusal) => ({ json: { status: refusal.status } }), {
      store,
      onStoreFailure: 'refuse',
    })
    expect(outcome.refusal).toMatchObject({ status: 503, body: '{"status":503}' })
    expect(fieldsOf(outcome)).toEqual(['Retry-After: 1', 'Cache-Control: no-store'])
  })
})

describe('a member that the body is not made of is reported, and the body is sent', () => {
  test.each([
    [{ json: 'slow', status: 503 }, 'status', 'application/json', '"slow"'],
    [{ json: 'slow', type: 'application/vnd.api+json' }, 'type', 'application/json', '"slow"'],
    [{ json: 'slow', text: 'slow' }, 'json', 'text/plain; charset=utf-8', 'slow'],
    [{ text: 'slow', headers: {} }, 'headers', 'text/plain; charset=utf-8', 'slow'],
  ])('%o', async (reply, name, type, body) => {
    const { outcome, errors } = await refusedWith(() => reply)
    expect(outcome.refusal).toMatchObject({ type, body })
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'RAIL_HOOK_FAILED',
        message: `onReject(): expected { json } or { text, type? }, got "${name}". Remove it. For JSON of another type return { text: JSON.stringify(body), type }.`,
      }),
    ])
  })

  test('but an undefined one is none', async () => {
    const { outcome, errors } = await refusedWith(() => ({ json: { slow: true }, text: undefined, type: undefined }))
    expect([outcome.refusal?.body, errors]).toEqual(['{"slow":true}', []])
  })
})
