import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import {
  createLimiter,
  draft11,
  type HeaderStyle,
  type Limit,
  limit,
  manualClock,
  perMinute,
  xRateLimit,
} from '../../src/index.js'
import { addFields } from '../../src/node/response-head.js'

const few = limit({ name: 'few', tokens: 5, per: '10s' })
const many = limit({ name: 'many', tokens: 500, per: '1s' })

function limiterOf(limits: readonly Limit[], headers: HeaderStyle) {
  return createLimiter<object>({ identify: () => 'acme', limits, headers, clock: manualClock(1_700_000_000_000) })
}

/** The header fields of the answer that a real server gives with this handler. */
async function answered(handler: (response: ServerResponse) => void | Promise<void>): Promise<Headers> {
  const server = createServer((_request, response) => void handler(response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    await response.text()
    return response.headers
  } finally {
    await new Promise((closed) => server.close(closed))
  }
}

const group = (headers: Headers): (string | null)[] =>
  ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-used', 'x-ratelimit-reset'].map((name) =>
    headers.get(name),
  )

const FEW = ['5', '4', '1', '1700000002']

it.each([
  { why: 'few first', order: [few, many] },
  { why: 'many first', order: [many, few] },
])('two limiters on one response tell the tightest, whole: $why', async ({ order }) => {
  const headers = await answered(async (response) => {
    for (const each of order) {
      const limiter = limiterOf([each], xRateLimit)
      addFields(response, await limiter.take({}))
    }
    response.end()
  })
  expect(group(headers)).toEqual(FEW)
})

it.each([
  {
    why: 'set by name',
    send: (response: ServerResponse, theirs: Record<string, string>) => {
      for (const [name, value] of Object.entries(theirs)) response.setHeader(name, value)
      response.end()
    },
  },
  {
    why: 'given to writeHead',
    send: (response: ServerResponse, theirs: Record<string, string>) => {
      response.writeHead(200, theirs).end()
    },
  },
  {
    why: 'given to writeHead as a flat array',
    send: (response: ServerResponse, theirs: Record<string, string>) => {
      response.writeHead(200, 'OK', Object.entries(theirs).flat()).end()
    },
  },
])('an upstream’s group is compared whole: $why', async ({ send }) => {
  const tighter = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '1700000030' }
  const looser = { ...tighter, 'x-ratelimit-remaining': '9' }
  const sent = async (theirs: Record<string, string>): Promise<Headers> => {
    const limiter = limiterOf([few], xRateLimit)
    const { headers } = await limiter.take({})
    return answered((response) => {
      addFields(response, { headers })
      send(response, theirs)
    })
  }
  expect(group(await sent(tighter))).toEqual(['60', '1', '59', '1700000030'])
  expect(group(await sent(looser))).toEqual(FEW)
})

it('what the same limiter said before for a request is not told beside what it says later', async () => {
  const limiter = limiterOf([few, perMinute(100)], draft11)
  const headers = await answered(async (response) => {
    const request = {}
    addFields(response, await limiter.take(request))
    addFields(response, await limiter.with({ cost: 3 }).take(request))
    response.setHeader('RateLimit', '"upstream";r=7')
    response.end()
  })
  expect(headers.get('ratelimit')).toBe('"upstream";r=7, "few";r=2;t=6, "per_minute";r=97;t=2')
})

it('headers of several sources are sent once each, whichever request their records are kept with', async () => {
  const [first, second] = [limiterOf([few], draft11), limiterOf([many], draft11)]
  const headers = await answered(async (response) => {
    // Two objects for one request, each with a record of both limiters.
    const [request, other] = [{}, {}]
    const earlier = [await first.take(request), await second.take(request)]
    for (const outcome of earlier) addFields(response, outcome)
    const [ofFirst, ofSecond] = [await first.take(other), await second.take(other)]
    addFields(response, ofFirst)
    addFields(response, ofSecond)
    addFields(response, await second.take(request))
    const known = [request, other].flatMap((each) => [first.of(each), second.of(each)])
    expect(known.map((outcome, index) => outcome === [...earlier, ofFirst, ofSecond][index])).toEqual(
      Array(4).fill(true),
    )
    response.end()
  })
  expect(headers.get('ratelimit')?.split(', ').sort()).toEqual(['"few";r=3;t=4', '"many";r=498;t=1'])
})

it('with once: false the headers are those of the latest take', async () => {
  const limiter = createLimiter<object>({ identify: () => 'acme', limits: [few], clock: () => 0, once: false })
  const request = {}
  let taken = 0
  const headers = await answered(async (response) => {
    addFields(response, await limiter.take(request))
    for (taken = 1; taken < 4; taken++) await limiter.take(request)
    response.end()
  })
  expect(headers.get('ratelimit')).toBe('"few";r=1;t=8')
})
