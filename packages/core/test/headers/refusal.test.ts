import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  createLimiter,
  type LimiterOptions,
  limit,
  MemoryStore,
  manualClock,
  type Outcome,
  type ProblemOptions,
  perMinute,
  perSecond,
  problem,
  RailError,
  refusalFor,
  type Store,
  several,
} from '../../src/index.js'

interface Asked {
  readonly path: string
}

/** What a limiter of one request a minute answers to the second. */
async function refused(options: Partial<LimiterOptions<Asked>> = {}): Promise<Outcome> {
  const limiter = createLimiter<Asked>({
    identify: () => 'acme',
    limits: [perMinute(1)],
    clock: manualClock(),
    ...options,
  } as LimiterOptions<Asked>)
  await limiter.take({ path: '/v1/links' })
  return limiter.take({ path: '/v1/links' })
}

function retryAfterOf({ headers }: Outcome): string | undefined {
  return headers.find((field) => field.name === 'Retry-After')?.value
}

const broken: Store = {
  take: () => Promise.reject(new Error('gone')),
  peek: () => Promise.reject(new Error('gone')),
  settle: () => Promise.reject(new Error('gone')),
  reset: () => Promise.reject(new Error('gone')),
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the JSON body', () => {
  it('is the default: exactly two members and the plain media type', async () => {
    const { refusal } = await refused()
    expect(refusal).toMatchObject({
      status: 429,
      type: 'application/json',
      body: '{"error":"rate_limited","retry_after":60}',
    })
  })

  it('has the largest cost that fits in place of retry_after for a cost that never fits', async () => {
    const { refusal, headers } = await refused({ cost: () => 2 })
    expect(refusal?.body).toBe('{"error":"cost_too_large","most":1}')
    expect(headers.map((field) => field.name)).not.toContain('Retry-After')
  })
})

describe('problem details', () => {
  it('say the status phrase, the status and the limits that refused', async () => {
    const { refusal } = await refused({ onReject: problem() })
    expect(refusal?.type).toBe('application/problem+json')
    expect(refusal?.body).toBe(
      '{"type":"about:blank","title":"Too Many Requests","status":429,"violated-policies":["per_minute"]}',
    )
  })

  it('say for a cost that never fits another phrase, the status 422 and the largest cost that fits', async () => {
    const { refusal } = await refused({
      cost: () => 2,
      onReject: problem({ type: '/429', title: 'Wait', detail: 'Wait.' }),
    })
    expect(refusal?.body).toBe(
      '{"type":"about:blank","title":"Unprocessable Content","status":422,"most":1,"violated-policies":["per_minute"]}',
    )
  })

  it('have members of their own for a cost that never fits', async () => {
    const tooLarge = { type: '/422', title: 'Too much', detail: (asked: Asked) => `${asked.path} is too large.` }
    const { refusal } = await refused({ cost: () => 2, onReject: problem({ tooLarge, violatedPolicies: false }) })
    expect(refusal?.body).toBe(
      '{"type":"/422","title":"Too much","status":422,"detail":"/v1/links is too large.","most":1}',
    )
    const wait = await refused({ onReject: problem({ tooLarge }) })
    expect(wait.refusal?.body).toContain('"title":"Too Many Requests","status":429,"violated-policies"')
  })

  it.each<[object, string]>([
    [{ tooLarge: { titel: 'x' } }, 'titel: not an option of problem().tooLarge. Did you mean "title"?'],
    [{ tooLarge: { instance: '/x' } }, 'instance: not an option of problem().tooLarge. Options: type, title, detail.'],
    [{ tooLarge: { type: 1 } }, 'problem().tooLarge.type: expected a URI reference, got 1.'],
    [{ tooLarge: 'x' }, 'problem().tooLarge: expected an object with type, title or detail, got "x".'],
  ])('refuse wrong members for a cost that never fits: %j', (options, message) => {
    expect(() => problem(options as ProblemOptions<Asked>)).toThrow(message)
  })

  it('name limits as they are sent, with their scope and unescaped', async () => {
    const limits = [limit({ name: 'say "hi"', tokens: 1, per: '1m' })]
    const { refusal } = await refused({
      onReject: problem(),
      charges: several(() => [{ scope: 'writes', key: 'a', limits, cost: 1 }]),
      identify: undefined,
      limits: undefined,
    } as never)
    expect(JSON.parse(refusal?.body ?? '')).toMatchObject({ 'violated-policies': ['writes.say "hi"'] })
  })

  it('may be your own, with exactly the members that you want', async () => {
    const own: ProblemOptions<Asked> = {
      type: 'https://api.snip.example/errors/rate-limited',
      title: 'Rate limit exceeded',
      detail: (_request, { retryAfterMs }) => `Retry in ${Math.ceil(retryAfterMs / 1000)} seconds.`,
      instance: ({ path }) => path,
      violatedPolicies: false,
    }
    const { refusal } = await refused({ onReject: problem(own) })
    expect(refusal?.body).toBe(
      '{"type":"https://api.snip.example/errors/rate-limited","title":"Rate limit exceeded","status":429,' +
        '"detail":"Retry in 60 seconds.","instance":"/v1/links"}',
    )
  })

  it('take texts as well as functions, and leave out what is undefined', async () => {
    const { refusal } = await refused({
      onReject: problem({ detail: 'Wait a little.', instance: () => undefined, title: undefined }),
    })
    expect(refusal?.body).toBe(
      '{"type":"about:blank","title":"Too Many Requests","status":429,"detail":"Wait a little.","violated-policies":["per_minute"]}',
    )
  })

  it.each([
    {
      why: 'throws',
      detail: () => {
        throw new Error('no plan')
      },
    },
    { why: 'returns a number', detail: () => 7 },
    { why: 'returns a promise', detail: async () => 'later' },
  ])('are sent without a detail that $why, and onError is told', async ({ detail }) => {
    const told: unknown[] = []
    const { refusal } = await refused({
      onReject: problem({ title: 'Slow down', detail: detail as never }),
      onError: (error) => told.push(error),
    })
    expect(refusal).toMatchObject({ status: 429, type: 'application/problem+json' })
    expect(refusal?.body).toBe(
      '{"type":"about:blank","title":"Slow down","status":429,"violated-policies":["per_minute"]}',
    )
    expect(told).toEqual([expect.objectContaining({ code: 'RAIL_HOOK_FAILED', cause: expect.any(Error) })])
  })

  it('say that capacity is reduced when the store has failed, whatever they say of limits', async () => {
    const own: ProblemOptions<Asked> = {
      type: 'https://api.snip.example/errors/rate-limited',
      title: 'Rate limit exceeded',
      detail: () => 'never asked',
      instance: ({ path }) => path,
    }
    const options = { store: broken, onStoreFailure: 'refuse' } as const
    const plain = await refused({ ...options, onReject: problem() })
    expect(plain.refusal).toMatchObject({ status: 503, retryAfter: 1, type: 'application/problem+json' })
    expect(plain.refusal?.body).toBe(
      '{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",' +
        '"title":"Temporary Reduced Capacity","status":503}',
    )
    const mine = await refused({ ...options, onReject: problem(own) })
    expect(JSON.parse(mine.refusal?.body ?? '')).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
      title: 'Temporary Reduced Capacity',
      status: 503,
      instance: '/v1/links',
    })
    expect((await refused(options)).refusal?.body).toBe('{"error":"unavailable","retry_after":1}')
  })

  it.each([
    { options: null, code: 'RAIL_BAD_OPTION', says: /^problem\(\): expected an object of options, got null/ },
    { options: { titel: '' }, code: 'RAIL_UNKNOWN_OPTION', says: /Did you mean "title"/ },
    { options: { status: 429 }, code: 'RAIL_UNKNOWN_OPTION', says: /Call it: onReject: problem\(\)/ },
    { options: { type: 'not a URI' }, code: 'RAIL_BAD_OPTION', says: /^problem\(\)\.type: expected a URI reference/ },
    { options: { type: '' }, code: 'RAIL_BAD_OPTION', says: /URI/ },
    { options: { title: 1 }, code: 'RAIL_BAD_OPTION', says: /title: expected a string, got 1/ },
    { options: { detail: 1 }, code: 'RAIL_BAD_OPTION', says: /detail: expected a string, or a function/ },
    { options: { instance: 'ü' }, code: 'RAIL_BAD_OPTION', says: /instance: expected a URI reference/ },
    { options: { violatedPolicies: 'no' }, code: 'RAIL_BAD_OPTION', says: /violatedPolicies/ },
  ])('are checked when they are made: $options', ({ options, code, says }) => {
    const make = () => problem(options as never)
    expect(make).toThrow(RailError)
    expect(make).toThrow(expect.objectContaining({ code, message: expect.stringMatching(says) }))
  })
})

describe('Retry-After', () => {
  it.each([
    { waitMs: 1, is: '1' },
    { waitMs: 1_000, is: '1' },
    { waitMs: 1_001, is: '2' },
    { waitMs: 86_400_000, is: '86400' },
  ])('is $waitMs ms rounded up: $is', async ({ waitMs, is }) => {
    const limits = [limit({ name: 'one', tokens: 1, per: waitMs })]
    expect(retryAfterOf(await refused({ limits }))).toBe(is)
  })

  it('is at most 2147483, with jitter too', async () => {
    const limits = [limit({ name: 'rare', tokens: 1, per: '365d' })]
    expect(retryAfterOf(await refused({ limits }))).toBe('2147483')
    expect(retryAfterOf(await refused({ limits, jitter: 600 }))).toBe('2147483')
  })

  it('is spread by jitter, from the wait upward, while t stays the true wait', async () => {
    const random = vi.spyOn(Math, 'random')
    const answers: string[] = []
    for (const drawn of [0, 0.1, 0.5, 0.999999]) {
      random.mockReturnValue(drawn)
      const { refusal, headers } = await refused({ jitter: 10 })
      answers.push(`${refusal?.retryAfter} ${refusal?.body} ${headers[1]?.value}`)
    }
    expect(answers).toEqual(
      [60, 61, 65, 70].map((n) => `${n} {"error":"rate_limited","retry_after":${n}} "per_minute";r=0;t=60`),
    )
  })

  it('is spread below the largest number too, where that cuts the jitter off', async () => {
    const limits = [limit({ name: 'rare', tokens: 1, per: 2_147_463_000 })]
    const random = vi.spyOn(Math, 'random')
    const answers: (string | undefined)[] = []
    for (const drawn of [0, 0.5, 0.999999]) {
      random.mockReturnValue(drawn)
      answers.push(retryAfterOf(await refused({ limits, jitter: 600 })))
    }
    expect(answers).toEqual(['2147463', '2147473', '2147483'])
  })

  it('is spread when the store has failed, which all clients meet at once', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999999)
    const { refusal } = await refused({ store: broken, onStoreFailure: 'refuse', jitter: 4 })
    expect(refusal?.retryAfter).toBe(5)
  })

  it.each([{ jitter: -1 }, { jitter: Number.NaN }, { jitter: 2_147_484 }])(
    'refuses options that make no sense: %o',
    (options) => {
      expect(() => createLimiter({ identify: () => 'a', limits: [perSecond(1)], ...options })).toThrow(
        expect.objectContaining({ code: 'RAIL_BAD_OPTION' }),
      )
    },
  )
})

it('refusalFor makes the refusal of a decision without a limiter', () => {
  const store = new MemoryStore()
  const charge = { key: 'a', limits: [perMinute(1)], cost: 1 }
  store.take([charge], 0)
  const decision = store.take([charge], 0)
  const body = '{"error":"rate_limited","retry_after":60}'
  expect(refusalFor(decision)).toEqual({ status: 429, retryAfter: 60, type: 'application/json', body, decision })
})

it.each<[object, string, string]>([
  [{ jiter: 3 }, 'RAIL_UNKNOWN_OPTION', 'jiter: not an option of refusalFor(). Did you mean "jitter"?'],
  [{ jitter: -1 }, 'RAIL_BAD_OPTION', 'jitter: expected a whole number of seconds from 0 to 2147483, got -1.'],
])('refusalFor refuses wrong options: %o', (options, code, message) => {
  const decision = new MemoryStore().take([{ key: 'a', limits: [perMinute(1)], cost: 2 }], 0)
  expect(() => refusalFor(decision, options)).toThrow(expect.objectContaining({ code, message }))
})
