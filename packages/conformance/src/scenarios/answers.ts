import {
  draft6,
  draft7,
  draft11,
  exposed,
  type HeaderStyle,
  limit,
  perDay,
  perMinute,
  problem,
  unshared,
  xRateLimit,
} from '@rail/core'
import type { ScenarioMaker } from './tools.js'

/** Scenarios about responses, and about the outcomes that a handler sees. */
export const answerScenarios = {
  'custom-errors': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(5)] }],
    errorHandler: true,
  }),
  'quoted-names': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [limit({ name: 'a"; q=9\\', tokens: 5, per: '1m' })] }],
  }),
  'one-limit-styles': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perDay(100), perMinute(2)], headers: [draft11, ...ONE_LIMIT] }],
  }),
  'draft-7': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perDay(100), perMinute(2)], headers: draft7 }],
  }),
  'tight-limiter-last': ({ customer }) => ({
    limiters: [
      { identify: customer, limits: [perMinute(10)], headers: ONE_LIMIT },
      { identify: customer, limits: [TIGHT], headers: ONE_LIMIT },
    ],
  }),
  'tight-limiter-first': ({ customer }) => ({
    limiters: [
      { identify: customer, limits: [TIGHT], headers: ONE_LIMIT },
      { identify: customer, limits: [perMinute(10)], headers: ONE_LIMIT },
    ],
  }),
  problem: ({ customer }) => ({
    limiters: [
      {
        identify: customer,
        limits: [perMinute(1)],
        onReject: problem({
          type: 'https://api.example/problems/limits',
          title: 'Too fast',
          detail: (request, decision) => `${customer(request)} waits ${decision.retryAfterMs} ms.`,
          instance: '/here',
        }),
      },
    ],
  }),
  'no-headers': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(1)], headers: false }],
  }),
  'behind-cors': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(1)], headers: exposed(draft11) }],
    upstream: {
      'Access-Control-Allow-Origin': 'https://app.example',
      'Access-Control-Expose-Headers': 'X-Request-Id',
      'Cache-Control': 'public, max-age=300',
    },
  }),
  'shared-cache': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(1)], headers: unshared(draft11) }],
    upstream: { 'Cache-Control': 's-maxage=300' },
  }),
  'private-cache': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(1)], headers: unshared(draft11) }],
    upstream: { 'Cache-Control': 'private, max-age=300' },
  }),
  'behind-proxy': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(1)] }],
    upstream: { 'RateLimit-Policy': '"edge";q=9;w=9', RateLimit: '"edge";r=8;t=1', 'Retry-After': '90' },
  }),
  jitter: ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(1)], jitter: 30 }],
  }),
  'dry-run': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(2)], dryRun: true }],
  }),
  skip: ({ customer, header }) => ({
    limiters: [{ identify: customer, limits: [perMinute(1)], skip: (request) => header(request, 'x-skip') === 'yes' }],
  }),
  'skip-preflights': ({ customer, preflights }) => ({
    limiters: [{ identify: customer, limits: [perMinute(2)], skip: preflights }],
  }),
  'skip-preflights-without': ({ customer, preflights }) => ({
    limiters: [
      {
        identify: customer,
        limits: [perMinute(2)],
        skip: preflights({ headers: ['X-Token'], query: ['key'] }),
      },
    ],
  }),
  'count-preflights': ({ customer }) => ({ limiters: [{ identify: customer, limits: [perMinute(2)] }] }),
  'on-reject': ({ customer, header }) => ({
    limiters: [
      {
        identify: customer,
        limits: [perMinute(1)],
        onReject: (refusal, request) => rejectReply(header(request, 'x-reply'), refusal.retryAfter),
      },
    ],
    errorHandler: true,
  }),
  timeout: ({ customer, together }) => ({
    limiters: [{ identify: (request) => together(request).then(() => customer(request)), limits: [perMinute(1)] }],
    errorHandler: true,
    timeout: true,
  }),
  'timeout-later': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(5)] }],
    timeout: true,
  }),
} satisfies Record<string, ScenarioMaker>

/** Styles with room for one limit. */
const ONE_LIMIT: readonly HeaderStyle[] = [draft6, xRateLimit]
const TIGHT = limit({ name: 'tight', tokens: 2, per: '10s' })

/** What onReject does, by the name that the suite sends. Some of it is wrong on purpose. */
function rejectReply(
  name: string | undefined,
  retryAfter: number | undefined,
): Promise<never> | { json: unknown } | { text: string } {
  switch (name) {
    case 'json':
      return { json: { message: 'slow down', wait: retryAfter, status: 200 } }
    case 'text':
      return { text: 'Slow down.' }
    case 'typed':
      return { text: '<p>Slow down.</p>', type: 'text/html' } as { text: string }
    case 'later':
      return Promise.resolve({ json: 'later' }) as Promise<never>
    case 'unknown-member':
      return { json: 'slow down', status: 503 } as { json: unknown }
    case 'throws':
      throw new Error('no words')
    case 'rejects':
      return Promise.reject(new Error('no words'))
    case 'wrong-type':
      return { text: 'Slow down.', type: 'text/plain\r\nX-Injected: yes' } as { text: string }
    default:
      return 'Slow down.' as never
  }
}
