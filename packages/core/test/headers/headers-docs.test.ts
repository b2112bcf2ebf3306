import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  createLimiter,
  draft6,
  draft7,
  draft11,
  type HeaderStyle,
  manualClock,
  type OnReject,
  type Outcome,
  perMinute,
  perSecond,
  problem,
  xRateLimit,
} from '../../src/index.js'

const page = readFileSync(new URL('../../../../docs/headers.md', import.meta.url), 'utf8')
const blocks = Array.from(page.matchAll(/^```http\n(.*?)\n```$/gms), ([, text]) => text)

/** The eleventh answer within a moment, as it is sent. */
function eleventh(headers: HeaderStyle, onReject?: OnReject<string>): string {
  const clock = manualClock(1_700_000_000_000)
  const limits = [perSecond(10), perMinute(300)]
  const limiter = createLimiter<string>({ identify: (key) => key, limits, headers, onReject, clock })
  for (let count = 0; count < 10; count++) limiter.take('acme')
  return written(limiter.take('acme') as Outcome)
}

/** The answer to a cost above the burst of the first limit. */
function tooLarge(): string {
  const limits = [perSecond(10), perMinute(300)]
  const limiter = createLimiter<string>({ identify: (key) => key, limits, cost: () => 11, onError: () => {} })
  return written(limiter.take('acme') as Outcome)
}

function written(outcome: Outcome): string {
  const fields = outcome.headers.map(({ name, value }) => `${name}: ${value}`)
  return [...fields, `Content-Type: ${outcome.refusal?.type}`, '', outcome.refusal?.body].join('\n')
}

it('docs/headers.md shows every style exactly as it is sent', () => {
  expect(blocks).toEqual([
    eleventh(draft11),
    eleventh(draft7),
    eleventh(draft6),
    eleventh(xRateLimit),
    tooLarge(),
    eleventh(draft11, problem()),
  ])
})
