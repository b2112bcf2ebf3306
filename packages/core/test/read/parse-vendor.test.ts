import { describe, expect, it } from 'vitest'
import { type HeaderSource, parseHeaders } from '../../src/read/parse-headers.js'
import type { ParsedLimit } from '../../src/read/parsed-limit.js'

/** Wed, 21 Oct 2015 07:28:00 GMT, the `Date` of every response here; the client's own clock is a day off. */
const DATE = 'Wed, 21 Oct 2015 07:28:00 GMT'
const AT = Date.UTC(2015, 9, 21, 7, 28) / 1000
const CLIENT = AT * 1000 + 86_400_000

function limitsIn(headers: Record<string, string>): readonly ParsedLimit[] {
  return parseHeaders({ Date: DATE, ...headers }, CLIENT).limits
}

describe('the limits of other APIs', () => {
  it.each([
    {
      api: 'GitHub',
      headers: {
        'x-ratelimit-limit': '5000',
        'x-ratelimit-remaining': '4999',
        'x-ratelimit-used': '1',
        'x-ratelimit-reset': `${AT + 60}`,
        'x-ratelimit-resource': 'core',
      },
      is: [{ name: 'core', quota: 5000, remaining: 4999, resetAfterMs: 60_000 }],
    },
    {
      api: 'GitLab, which counts from 1970 under the draft’s name',
      headers: {
        'RateLimit-Limit': '60',
        'RateLimit-Observed': '67',
        'RateLimit-Remaining': '0',
        'RateLimit-Reset': `${AT + 30}`,
        'RateLimit-ResetTime': 'Wed, 21 Oct 2015 07:28:30 GMT',
        'RateLimit-Name': 'throttle_authenticated_web',
      },
      is: [{ name: 'throttle_authenticated_web', quota: 60, remaining: 0, resetAfterMs: 30_000 }],
    },
    {
      api: 'Discord',
      headers: {
        'X-RateLimit-Limit': '5',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': `${AT + 9}.123`,
        'X-RateLimit-Reset-After': '1.2',
        'X-RateLimit-Bucket': 'abcd1234',
      },
      is: [{ name: 'abcd1234', quota: 5, remaining: 0, resetAfterMs: 1_200 }],
    },
    {
      api: 'Shopify',
      headers: { 'X-Shopify-Shop-Api-Call-Limit': '32/40' },
      is: [{ quota: 40, remaining: 8 }],
    },
    {
      api: 'OpenAI',
      headers: {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-limit-tokens': '150000',
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-remaining-tokens': '149984',
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      is: [
        { name: 'requests', quota: 60, remaining: 59, resetAfterMs: 1_000 },
        { name: 'tokens', quota: 150_000, remaining: 149_984, resetAfterMs: 360_000 },
      ],
    },
    {
      api: 'Azure OpenAI, which sends -1 for what it does not know',
      headers: {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '-1',
        'x-ratelimit-remaining-tokens': '100',
        'x-ratelimit-reset-tokens': '-1',
      },
      is: [{ name: 'tokens', remaining: 100 }],
    },
    {
      api: 'Azure OpenAI, in plain seconds',
      headers: { 'x-ratelimit-remaining-requests': '9', 'x-ratelimit-reset-requests': '10' },
      is: [{ name: 'requests', remaining: 9, resetAfterMs: 10_000 }],
    },
    {
      api: 'Anthropic',
      headers: {
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-requests-reset': '2015-10-21T07:28:01Z',
        'anthropic-ratelimit-input-tokens-limit': '40000',
        'anthropic-ratelimit-input-tokens-remaining': '39000',
        'anthropic-ratelimit-input-tokens-reset': '2015-10-21T07:27:00Z',
        'anthropic-ratelimit-unified-reset': `${AT + 60}`,
      },
      is: [
        { name: 'requests', quota: 50, remaining: 49, resetAfterMs: 1_000 },
        { name: 'input-tokens', quota: 40_000, remaining: 39_000, resetAfterMs: 0 },
      ],
    },
    {
      api: 'Kong',
      headers: {
        'X-RateLimit-Limit-Minute': '10',
        'X-RateLimit-Remaining-Minute': '9',
        'X-RateLimit-Limit-Year': '1000',
        'X-RateLimit-Remaining-Year': '900',
        'RateLimit-Limit': '10',
        'RateLimit-Remaining': '9',
        'RateLimit-Reset': '47',
      },
      is: [
        { name: 'minute', quota: 10, windowMs: 60_000, remaining: 9 },
        { name: 'year', quota: 1000, remaining: 900 },
        { quota: 10, remaining: 9, resetAfterMs: 47_000 },
      ],
    },
    {
      api: 'Envoy',
      headers: {
        'x-ratelimit-limit': '10, 10;window=1;name="per-ip", 1000;window=3600',
        'x-ratelimit-remaining': '9',
        'x-ratelimit-reset': '1',
      },
      is: [{ name: 'per-ip', quota: 10, windowMs: 1_000, remaining: 9, resetAfterMs: 1_000 }],
    },
    {
      api: 'Symfony, from 1970',
      headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Retry-After': `${AT + 7}`, 'X-RateLimit-Limit': '10' },
      is: [{ quota: 10, remaining: 0, resetAfterMs: 7_000 }],
    },
    {
      api: 'Symfony, from now',
      headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Retry-After': '7', 'X-RateLimit-Limit': '10' },
      is: [{ quota: 10, remaining: 0, resetAfterMs: 7_000 }],
    },
    {
      api: 'Reddit, in fractions',
      headers: { 'X-Ratelimit-Used': '2', 'X-Ratelimit-Remaining': '298.9', 'X-Ratelimit-Reset': '353' },
      is: [{ remaining: 298, resetAfterMs: 353_000 }],
    },
    {
      api: 'Cloudflare',
      headers: { Ratelimit: '"default";r=50;t=30', 'Ratelimit-Policy': '"burst";q=100;w=60' },
      is: [{ name: 'default', remaining: 50, resetAfterMs: 30_000 }],
    },
    {
      api: 'X (Twitter)',
      headers: {
        'x-rate-limit-limit': '900',
        'x-rate-limit-remaining': '899',
        'x-rate-limit-reset': `${AT + 900}`,
        'x-user-limit-24hour-limit': '1000',
        'x-user-limit-24hour-remaining': '0',
        'x-user-limit-24hour-reset': `${AT + 3600}`,
      },
      is: [
        { name: 'user-24hour', quota: 1000, windowMs: 86_400_000, remaining: 0, resetAfterMs: 3_600_000 },
        { quota: 900, remaining: 899, resetAfterMs: 900_000 },
      ],
    },
    {
      api: 'Azure Resource Manager',
      headers: {
        'x-ms-ratelimit-remaining-subscription-reads': '11999',
        'x-ms-ratelimit-remaining-subscription-writes': '-1',
      },
      is: [{ name: 'subscription-reads', remaining: 11_999 }],
    },
    {
      api: 'Atlassian',
      headers: {
        'X-RateLimit-Limit': '100',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': '2015-10-21T07:30Z',
        'X-RateLimit-NearLimit': 'false',
      },
      is: [{ quota: 100, remaining: 0, resetAfterMs: 120_000 }],
    },
    {
      api: 'Atlassian Data Center',
      headers: {
        'X-RateLimit-Limit': '10',
        'X-RateLimit-Remaining': '5',
        'X-RateLimit-FillRate': '2',
        'X-RateLimit-Interval-Seconds': '5',
      },
      is: [{ quota: 10, windowMs: 5_000, remaining: 5 }],
    },
    {
      api: 'Zendesk',
      headers: {
        'X-Rate-Limit': '700',
        'X-Rate-Limit-Remaining': '699',
        'zendesk-ratelimit-tickets-index': 'total=100; remaining=99; resets=41',
      },
      is: [
        { name: 'tickets-index', quota: 100, remaining: 99, resetAfterMs: 41_000 },
        { quota: 700, remaining: 699 },
      ],
    },
    {
      api: 'HubSpot',
      headers: {
        'X-HubSpot-RateLimit-Daily': '250000',
        'X-HubSpot-RateLimit-Daily-Remaining': '249937',
        'X-HubSpot-RateLimit-Interval-Milliseconds': '10000',
        'X-HubSpot-RateLimit-Max': '100',
        'X-HubSpot-RateLimit-Remaining': '94',
      },
      is: [
        { name: 'daily', quota: 250_000, windowMs: 86_400_000, remaining: 249_937 },
        { name: 'interval', quota: 100, windowMs: 10_000, remaining: 94 },
      ],
    },
    {
      api: 'Basecamp',
      headers: {
        'X-RateLimit': '{"name":"API","period":10,"limit":50,"remaining":0,"until":"2015-10-21T07:28:08Z"}',
      },
      is: [{ name: 'API', quota: 50, windowMs: 10_000, remaining: 0, resetAfterMs: 8_000 }],
    },
    { api: 'Stripe and Slack, which send none', headers: { 'Retry-After': '30' }, is: [] },
    {
      api: 'one without a limit, which sends -1',
      headers: { 'X-RateLimit-Limit': '-1', 'X-RateLimit-Remaining': '-1', 'X-RateLimit-Reset': '0' },
      is: [],
    },
  ])('are read: $api', ({ headers, is }) => {
    expect(limitsIn(headers as Record<string, string>)).toEqual(is)
  })

  it('are not read beside RateLimit, which is more exact', () => {
    expect(limitsIn({ RateLimit: '"a";r=1', 'X-RateLimit-Remaining': '5' })).toEqual([{ name: 'a', remaining: 1 }])
    expect(limitsIn({ RateLimit: '"a";r=', 'X-RateLimit-Remaining': '5' })).toEqual([{ remaining: 5 }])
  })

  it('are read once if one limit has several general names', () => {
    const more = { 'X-RateLimit-Remaining': '5', 'X-Rate-Limit-Remaining': '6' }
    expect(limitsIn({ 'RateLimit-Remaining': '4', ...more })).toEqual([{ remaining: 4 }])
    expect(limitsIn({ 'RateLimit-Remaining': 'x', ...more })).toEqual([{ remaining: 5 }])
  })

  it.each(['remaining', 'limit', 'until', 'period', 'name'])(
    'are read without throwing where Basecamp’s %s is not a string',
    (member) => {
      const known = member === 'remaining' ? [] : [expect.objectContaining({ remaining: 3 })]
      for (const value of ['{"toString":1,"valueOf":1}', '[{"toString":null}]', '[[1]]', 'true', 'null']) {
        const sent = `{"remaining":3,${JSON.stringify(member)}:${value}}`
        expect(limitsIn({ 'X-RateLimit': sent }), sent).toEqual(known)
      }
    },
  )

  it.each(['32/', '/40', '32/40/1', '-1/40', '32/4e1', 'a/b'])('are none where Shopify’s is malformed: %j', (value) => {
    expect(limitsIn({ 'X-Shopify-Shop-Api-Call-Limit': value })).toEqual([])
  })

  it('are bounded: used beyond the limit is nothing left', () => {
    expect(limitsIn({ 'X-Shopify-Shop-Api-Call-Limit': '45/40' })).toEqual([{ quota: 40, remaining: 0 }])
    expect(limitsIn({ 'X-RateLimit-Remaining': '999999999999999.9' })).toEqual([{ remaining: 999_999_999_999_999 }])
  })

  it.each(['{', '{}', '[]', '{"remaining":"x"}', '{"remaining":1e300}', 'null', '{"remaining":null}'])(
    'are none where Basecamp’s is malformed: %j',
    (value) => {
      expect(limitsIn({ 'X-RateLimit': value })).toEqual([])
    },
  )
})

describe('a reset', () => {
  const resetOf = (reset: string): number | undefined =>
    limitsIn({ 'X-RateLimit-Remaining': '1', 'X-RateLimit-Reset': reset })[0]?.resetAfterMs

  it.each([
    { reset: '0', is: 0 },
    { reset: '30', is: 30_000 },
    { reset: '0.0001', is: 1 },
    { reset: `${AT + 5}`, is: 5_000 },
    { reset: `${AT + 5}.25`, is: 5_250 },
    { reset: `${AT - 5}`, is: 0 },
    { reset: `${AT + 5}000`, is: 5_000 },
    { reset: `${AT + 5}000000`, is: 5_000 },
    { reset: `${AT + 5}000000000`, is: 5_000 },
    { reset: '12ms', is: 12 },
    { reset: '1m30.5s', is: 90_500 },
    { reset: '1h2m3s', is: 3_723_000 },
    { reset: '900us', is: 1 },
    { reset: '900µs', is: 1 },
    { reset: '5ns', is: 1 },
    { reset: 'Wed, 21 Oct 2015 07:28:05 GMT', is: 5_000 },
    { reset: '2015-10-21T07:28:05Z', is: 5_000 },
    { reset: '2015-10-21t07:28:05.250z', is: 5_250 },
    { reset: '2015-10-21T09:28:05+02:00', is: 5_000 },
    { reset: '2015-10-21T02:28:05-0500', is: 5_000 },
    { reset: '2015-10-21T07:28:05', is: 5_000 },
    { reset: '2015-10-21 07:29', is: 60_000 },
    { reset: 'Wed Oct 21 2015 09:28:05 GMT+0200 (Central European Summer Time)', is: 5_000 },
    { reset: ' 30 ', is: 30_000 },
    { reset: '2147484', is: 2_147_484_000 },
    { reset: '9'.repeat(60), is: Number.MAX_SAFE_INTEGER },
    { reset: '9999999999h', is: Number.MAX_SAFE_INTEGER },
    { reset: '9'.repeat(200), is: undefined },
    { reset: '-5', is: undefined },
    { reset: '1e3', is: undefined },
    { reset: 'soon', is: undefined },
    { reset: '', is: undefined },
    { reset: '5 s', is: undefined },
    { reset: '1.s', is: undefined },
    { reset: '2015-13-21T07:28:05Z', is: undefined },
    { reset: '2015-02-30T07:28:05Z', is: undefined },
    { reset: '2015-10-21T25:28:05Z', is: undefined },
  ])('sent as $reset is $is ms away', ({ reset, is }) => {
    expect(resetOf(reset)).toBe(is)
  })

  it('is counted from the client’s clock where the response has no date, or a malformed one', () => {
    const headers = { 'X-RateLimit-Remaining': '1', 'X-RateLimit-Reset': `${AT + 60}` }
    expect(parseHeaders(headers, AT * 1000).limits[0]?.resetAfterMs).toBe(60_000)
    expect(parseHeaders({ ...headers, Date: 'yesterday' }, AT * 1000).limits[0]?.resetAfterMs).toBe(60_000)
    const soon = { 'X-RateLimit-Remaining': '1', 'X-RateLimit-Reset': `${Math.ceil(Date.now() / 1000) + 600}` }
    for (const now of [undefined, Number.NaN, Number.POSITIVE_INFINITY]) {
      const wait = parseHeaders(soon as HeaderSource, now).limits[0]?.resetAfterMs
      expect(wait).toBeGreaterThan(500_000)
      expect(wait).toBeLessThanOrEqual(601_000)
    }
  })
})
