import { describe, expect, it } from 'vitest'
import { inTurn, respond, stage, URL } from './support/stage.js'
import { World } from './support/world.js'

const NOW = Date.UTC(2026, 4, 5, 12, 0, 0)
const inSeconds = (seconds: number): string => String(NOW / 1_000 + seconds)
const httpDate = (seconds: number): string => new Date(NOW + seconds * 1_000).toUTCString()
const iso = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString()

interface Vendor {
  readonly vendor: string
  /** A refusal in its shape, with values of our own. */
  readonly refusal: Record<string, string>
  readonly status?: number
  readonly requiredMs: number
  /** A success after which nothing is left, and the time of the next request. */
  readonly last?: Record<string, string>
  readonly lastMs?: number
}

const vendors: readonly Vendor[] = [
  {
    vendor: 'GitHub',
    refusal: {
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-used': '5000',
      'x-ratelimit-reset': inSeconds(42),
      'x-ratelimit-resource': 'core',
    },
    requiredMs: 42_000,
    last: { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(30) },
    lastMs: 30_000,
  },
  {
    vendor: 'GitHub, a secondary limit',
    refusal: {
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4321',
      'x-ratelimit-reset': inSeconds(3_000),
      'retry-after': '60',
    },
    requiredMs: 60_000,
  },
  {
    vendor: 'GitLab',
    refusal: {
      'ratelimit-limit': '60',
      'ratelimit-observed': '67',
      'ratelimit-remaining': '0',
      'ratelimit-reset': inSeconds(25),
      'ratelimit-resettime': httpDate(25),
      'ratelimit-name': 'throttle_authenticated_web',
      'retry-after': '25',
    },
    requiredMs: 25_000,
    last: { 'ratelimit-limit': '60', 'ratelimit-remaining': '0', 'ratelimit-reset': inSeconds(12) },
    lastMs: 12_000,
  },
  {
    vendor: 'Discord',
    refusal: {
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(NOW / 1_000 + 1.47),
      'x-ratelimit-reset-after': '1.470',
      'x-ratelimit-bucket': '0123abcd',
      'x-ratelimit-scope': 'user',
      'retry-after': '1.47',
    },
    requiredMs: 1_470,
    last: {
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset-after': '0.250',
      'x-ratelimit-bucket': '0123abcd',
    },
    lastMs: 250,
  },
  {
    vendor: 'OpenAI',
    refusal: {
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '499',
      'x-ratelimit-reset-requests': '120ms',
      'x-ratelimit-limit-tokens': '30000',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '1m3s',
      'retry-after': '6',
      'retry-after-ms': '5340',
    },
    requiredMs: 6_000,
    last: {
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1m0s',
      'x-ratelimit-limit-tokens': '30000',
      'x-ratelimit-remaining-tokens': '29000',
      'x-ratelimit-reset-tokens': '2s',
    },
    lastMs: 60_000,
  },
  {
    vendor: 'Anthropic',
    refusal: {
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': iso(20),
      'anthropic-ratelimit-tokens-limit': '80000',
      'anthropic-ratelimit-tokens-remaining': '79000',
      'anthropic-ratelimit-tokens-reset': iso(1),
      'retry-after': '20',
    },
    requiredMs: 20_000,
    last: {
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': iso(9),
    },
    lastMs: 9_000,
  },
  { vendor: 'Shopify', refusal: { 'x-shopify-shop-api-call-limit': '40/40', 'retry-after': '2.0' }, requiredMs: 2_000 },
  { vendor: 'Stripe', refusal: { 'stripe-should-retry': 'true' }, requiredMs: 0 },
  {
    vendor: 'Cloudflare',
    refusal: {
      'ratelimit-policy': '"default";q=1200;w=300',
      ratelimit: '"default";r=0;t=77',
      'retry-after': '77',
    },
    requiredMs: 77_000,
    last: { 'ratelimit-policy': '"default";q=1200;w=300', ratelimit: '"default";r=0;t=5' },
    lastMs: 5_000,
  },
  { vendor: 'Slack', refusal: { 'retry-after': '30' }, requiredMs: 30_000 },
  { vendor: 'Atlassian Data Center', refusal: { 'x-ratelimit-remaining': '0', 'retry-after': '4' }, requiredMs: 4_000 },
  {
    vendor: 'Azure',
    refusal: { 'x-ms-ratelimit-remaining-subscription-writes': '0', 'retry-after': '17' },
    requiredMs: 17_000,
  },
]

const ok = () => respond(200)

describe.each(vendors)('$vendor', ({ refusal, status = 429, requiredMs, last, lastMs }) => {
  const start = (answer: Parameters<typeof stage>[0]) => stage(answer, { spread: 0, jitter: 0, world: new World(NOW) })
  const dated = (headers: Record<string, string>) => ({ Date: httpDate(0), ...headers })

  it(`is respected: the wait after a refusal is ${requiredMs} ms, not less`, async () => {
    const { world, client, arrivals } = start(inTurn(() => respond(status, dated(refusal)), ok))
    expect((await world.until(client(URL))).status).toBe(200)
    expect(arrivals).toHaveLength(2)
    const wait = (arrivals[1]?.at ?? 0) - NOW
    // Without a wait, it backs off at random.
    if (requiredMs > 0) expect(wait).toBe(requiredMs)
    else expect(wait).toBeGreaterThan(0)
  })

  it('refuses a hundred calls at once about once', async () => {
    const { world, client, arrivals } = start((nth) => (nth === 0 ? respond(status, dated(refusal)) : ok()))
    await world.until(Promise.all(Array.from({ length: 100 }, () => client(URL))))
    expect(arrivals).toHaveLength(101)
  })

  if (last !== undefined) {
    it(`gets no request before its limit resets in ${lastMs} ms`, async () => {
      const { world, client, arrivals } = start(inTurn(() => respond(200, dated(last)), ok))
      await world.until(client(URL))
      await world.until(client(URL))
      expect((arrivals[1]?.at ?? 0) - NOW).toBe(lastMs)
    })
  }
})

describe('GitHub’s 403', () => {
  it('is returned at once, and the next call waits until its limit resets', async () => {
    const sent = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(33) }
    const { world, client, arrivals } = stage(
      inTurn(() => respond(403, { Date: httpDate(0), ...sent }), ok),
      { world: new World(NOW) },
    )
    expect((await world.until(client(URL))).status).toBe(403)
    expect(world.now).toBe(NOW)
    await world.until(client(URL))
    expect(arrivals.map(({ at }) => at - NOW)).toEqual([0, 33_000])
  })
})

describe('a success with a Retry-After', () => {
  it('delays nothing: some servers send one with every response', async () => {
    const { world, client } = stage(() => respond(200, { 'retry-after': '30' }))
    for (let call = 0; call < 3; call++) await world.until(client(URL))
    expect(world.now).toBe(0)
  })
})
