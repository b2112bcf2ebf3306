import { limit, perMinute } from '@rail/core'
import type { ScenarioMaker } from './tools.js'

/** Scenarios about what is sent, and what the handler gets to see. */
export const answerScenarios = {
  'custom-errors': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(5)] }],
    errorHandler: true,
  }),
  'quoted-names': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [limit({ name: 'a"; q=9\\', tokens: 5, per: '1m' })] }],
  }),
  'no-headers': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(1)], headers: false }],
  }),
  'behind-cors': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(1)], exposeHeaders: true }],
    upstream: {
      'Access-Control-Allow-Origin': 'https://app.example',
      'Access-Control-Expose-Headers': 'X-Request-Id',
      'Cache-Control': 'public, max-age=300',
    },
  }),
  'behind-proxy': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(1)] }],
    upstream: { 'RateLimit-Policy': '"edge";q=9;w=9', RateLimit: '"edge";r=8;t=1', 'Retry-After': '90' },
  }),
  'max-retry-after': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [limit({ name: 'day', tokens: 1, per: '1d' })], maxRetryAfter: 30 }],
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
  'skip-preflights': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(2)], skipPreflights: true }],
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

/** What onReject does, by the name that the suite sends. What is wrong is wrong on purpose. */
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
