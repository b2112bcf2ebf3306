import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { RailError } from '@rail/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { waitAfterAnswer, waitAfterFailure } from '../../src/sync/waits.js'
import { type Answering, answerJson, DOCUMENT, fakeControlPlane } from '../support/fake-control-plane.js'
import { closeAll, synced } from '../support/synced.js'

afterEach(closeAll)

/** An answer of a text, with nothing else right about it. */
const plainly =
  (text: string, status = 200, headers = {}): Answering =>
  (_, response) => {
    response.writeHead(status, headers).end(text)
  }

/** The usual answer, changed: a newer revision in which `pro` is gone. */
const changedBy =
  (change: (usual: Record<string, unknown>) => unknown): Answering =>
  (request, response, plane) => {
    const document = { ...DOCUMENT, plans: DOCUMENT.plans.slice(0, 1), customers: [] }
    answerJson(response, change({ ...plane.answerTo(request), kind: 'full', rev: 2, document }))
  }

const limitOf =
  (limit: string): Answering =>
  (_, response) => {
    const head =
      '"v":1,"epoch":"epoch-1","rev":2,"kind":"full","setting":"each","servers":1,"nextSyncMs":15000,"serverTime":0'
    response.end(
      `{${head},"document":{"defaultPlan":null,"customers":[],"plans":[["pro",{"limits":{"per_second":${limit}}}]]}}`,
    )
  }

const halfOf = (response: ServerResponse, text: string, headers: object): void => {
  response.writeHead(200, { ...headers })
  response.write(text.slice(0, text.length / 2))
  response.socket?.end()
}

const faults: [string, Answering, RegExp][] = [
  [
    '401',
    plainly('{"detail":"no such token: secret-token"}', 401),
    /answered 401 \(no such token: …\)\. The token is wrong/,
  ],
  ['403', plainly('', 403), /answered 403\..*scope sync/],
  ['404', plainly('', 404), /answered 404\..*url/],
  ['400', plainly('', 400), /answered 400/],
  ['408', plainly('', 408), /answered 408/],
  ['413', plainly('', 413), /answered 413/],
  ['429', plainly('', 429), /answered 429/],
  ['500', plainly('', 500), /answered 500/],
  ['502 with a page of a proxy', plainly('<html>', 502), /answered 502/],
  ['503', plainly('', 503), /answered 503/],
  ['204', plainly('', 204), /answered 204/],
  ['304', plainly('', 304), /answered 304/],
  ['an empty body', plainly(''), /JSON/],
  ['a page', plainly('<html>log in</html>'), /JSON/],
  ['JSON that is no answer', plainly('[]'), /does not follow the protocol/],
  ['an answer of another version', changedBy((usual) => ({ ...usual, v: 2 })), /v: /],
  ['an answer of an unknown kind', changedBy((usual) => ({ ...usual, kind: 'partial' })), /kind: /],
  ['an answer without a revision', changedBy(({ rev, ...usual }) => usual), /rev: /],
  ['no servers', changedBy((usual) => ({ ...usual, servers: 0 })), /servers: /],
  ['an interval that would be a tight loop', changedBy((usual) => ({ ...usual, nextSyncMs: 0 })), /nextSyncMs: /],
  [
    'an interval that is too long for a timer',
    changedBy((usual) => ({ ...usual, nextSyncMs: 2 ** 31 })),
    /nextSyncMs: /,
  ],
  [
    'half a payload, shorter than it says',
    (_, response) => halfOf(response, JSON.stringify(DOCUMENT), { 'Content-Length': 500 }),
    /aborted|hang up|ECONNRESET/,
  ],
  [
    'half a payload, in chunks',
    (_, response) => halfOf(response, JSON.stringify(DOCUMENT), {}),
    /aborted|hang up|ECONNRESET/,
  ],
  ['half a payload that ends properly', plainly('{"v":1,"epoch":"epoch-1","rev":2,"kind":"full","docu'), /JSON/],
  [
    'half of a gzipped payload',
    (_, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('{"v":1}').subarray(0, 15)),
    /unexpected end/,
  ],
  [
    'content that is not gzip but is declared as such',
    plainly('{"v":1}', 200, { 'Content-Encoding': 'gzip' }),
    /incorrect header/,
  ],
  ['an encoding that was not requested', plainly('x', 200, { 'Content-Encoding': 'br' }), /encoded as br/],
  ['a connection that is cut', (_, response) => response.destroy(), /hang up|ECONNRESET/],
  ['no HTTP at all', (_, response) => response.socket?.end('SMTP ready\r\n'), /Parse Error/],
  ['a limit of NaN', limitOf('NaN'), /JSON/],
  ['a limit of NaN, as JSON writes it', limitOf('null'), /plans\.pro\.limits\.per_second: .*got null/],
  ['a limit of Infinity, as some write it', limitOf('1e999'), /per_second: .*got Infinity/],
  ['a negative limit', limitOf('-1'), /per_second: .*got -1/],
  [
    'a limit with an unknown member',
    limitOf('{"tokens":5,"shadow":true}'),
    /^plans\.pro\.limits\.per_second\.shadow: /,
  ],
  [
    'a customer of a plan that is missing',
    changedBy((usual) => ({ ...usual, document: { ...DOCUMENT, customers: [['acme', { plan: 'none' }]] } })),
    /^customers\.acme\.plan: .*"none"/,
  ],
  [
    'a plan whose headers no client could read',
    changedBy((usual) => {
      const names = Array.from({ length: 300 }, (_, index) => [`endpoint_${index}`, { tokens: 1, per: '1m' }])
      return {
        ...usual,
        document: { ...DOCUMENT, plans: [['big', { limits: Object.fromEntries(names) }]], customers: [] },
      }
    }),
    /^plans\.big: expected RateLimit-Policy and RateLimit of at most 4096 bytes/,
  ],
  [
    'a customer twice',
    changedBy((usual) => ({
      ...usual,
      document: {
        ...DOCUMENT,
        customers: [
          ['acme', {}],
          ['acme', { plan: 'pro' }],
        ],
      },
    })),
    /twice/,
  ],
  [
    'a document without customers',
    changedBy((usual) => ({ ...usual, document: { plans: [], defaultPlan: null } })),
    /customers: /,
  ],
  [
    'customers that are no list',
    changedBy((usual) => ({ ...usual, document: { ...DOCUMENT, customers: {} } })),
    /customers: /,
  ],
]

describe('a control plane that answers', () => {
  test.each(faults)('%s changes nothing, is reported, and another request follows', async (_, answering, message) => {
    const { plane, plans, perSecond, errors, exchange, exchanged } = await synced()
    await exchanged()
    plane.answering = answering
    for (let index = 0; index < 3; index++) await exchange()
    expect([perSecond('acme'), plans.status().rev]).toEqual([50, 1])
    expect(plans.status().problem).toMatch(message)
    expect(errors.map((error) => error.message)).toContainEqual(
      expect.stringMatching(/The limits in force stay \(live\)/),
    )
    expect(JSON.stringify([errors.map((error) => error.message), plans.status()])).not.toContain('secret-token')

    Object.assign(plane, { answering: undefined, rev: 3, document: { ...DOCUMENT, defaultPlan: null } })
    await exchange()
    expect(plans.status()).toMatchObject({ rev: 3, problem: undefined, failures: 0, ageMs: 0 })
    expect(perSecond('zeta')).toBeUndefined()
  })

  test('nothing is aborted after the timeout, and another request follows', async () => {
    const { plane, plans, timers, exchange, exchanged } = await synced()
    await exchanged()
    let asked = (): void => {}
    const hanging = [() => {}, (response: ServerResponse) => response.writeHead(200).write('{"v":1')]
    for (const hang of hanging) {
      const came = new Promise<void>((resolve) => {
        asked = resolve
      })
      plane.answering = (_, response) => {
        hang(response)
        asked()
      }
      timers.fire((afterMs) => afterMs !== 10_007)
      await came
      timers.fire((afterMs) => afterMs === 10_007)
      await exchanged()
      expect(plans.status().problem).toBe('no whole answer within 10007 ms')
    }
    plane.answering = undefined
    await exchange()
    expect(plans.status().failures).toBe(0)
  })

  test('a payload that is not applied is reported to the control plane until one is', async () => {
    const { plane, exchange, exchanged } = await synced()
    await exchanged()
    plane.answering = limitOf('null')
    await exchange()
    await exchange()
    expect(plane.requests[2]).toMatchObject({
      have: { epoch: 'epoch-1', rev: 1 },
      applyError: { epoch: 'epoch-1', rev: 2, message: expect.stringContaining('got null') },
    })
    plane.answering = undefined
    await exchange()
    await exchange()
    expect(plane.requests[4]).not.toHaveProperty('applyError')
  })

  test('a redirect is not followed: the token goes nowhere else', async () => {
    const other = await fakeControlPlane()
    const { plane, plans, exchange, exchanged } = await synced()
    await exchanged()
    plane.answering = plainly('', 307, { Location: `${other.url}/v1/sync` })
    await exchange()
    expect(plans.status().problem).toContain('answered 307')
    expect(other.requests).toEqual([])
    await other.stop()
  })
})

describe('an error', () => {
  test('is reported once a minute, however often it occurs', async () => {
    const { plane, plans, errors, clock, exchange, exchanged } = await synced()
    await exchanged()
    await plane.stop()
    await exchange()
    expect(errors).toHaveLength(1)
    const since = clock()
    while (clock() - since < 45_000) await exchange()
    expect(errors).toHaveLength(1)
    clock.advance(15_000)
    await exchange()
    expect(errors).toHaveLength(2)
    expect(errors.map(({ count }) => count)).toEqual([1, plans.status().failures - 1])
  })

  test('that is over is reported as it was: the same hook, once, with the failures that no report had', async () => {
    const { plane, errors, clock, exchange, exchanged } = await synced()
    await exchanged()
    plane.answering = plainly('', 500)
    const since = clock() + (await exchanged())
    for (let failures = 0; failures < 3; failures++) await exchange()
    plane.answering = undefined
    await exchange()
    const seconds = Math.round((clock() - since) / 1_000)
    expect(errors.map(({ code, count, message }) => [code, count, message])).toEqual([
      ['RAIL_SYNC_FAILED', 1, expect.any(String)],
      ['RAIL_SYNC_RECOVERED', 2, `Plans are synced from ${plane.url} again after ${seconds} s, and 2 more failures.`],
    ])
    await exchange()
    expect(errors).toHaveLength(2)
  })

  test('that comes and goes is reported once a minute, and so is its end', async () => {
    const { plane, errors, clock, exchange, exchanged } = await synced()
    await exchanged()
    const since = clock()
    for (let turn = 0; clock() - since < 180_000; turn++) {
      plane.answering = turn % 2 === 0 ? plainly('', 500) : undefined
      await exchange()
    }
    const codes = errors.map(({ code }) => code)
    expect(codes).toEqual(codes.map((_, index) => (index % 2 === 0 ? 'RAIL_SYNC_FAILED' : 'RAIL_SYNC_RECOVERED')))
    expect(errors.filter(({ code }) => code === 'RAIL_SYNC_FAILED').length).toBeLessThanOrEqual(3)
  })

  test('without a handler is one warning for each code, and () => {} silences it', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    for (const [minute, onError] of [undefined, () => {}].entries()) {
      vi.spyOn(performance, 'now').mockReturnValue(1e12 + minute * 60_000)
      const { plane, exchange, exchanged } = await synced({ onError })
      await exchanged()
      plane.answering = plainly('', 500)
      await exchange()
      await exchange()
      plane.answering = undefined
      await exchange()
    }
    expect(warned.mock.calls.map(([error]) => (error as RailError).code)).toEqual([
      'RAIL_SYNC_FAILED',
      'RAIL_SYNC_RECOVERED',
    ])
  })
})

describe('proxies in between', () => {
  test('may compress messages', async () => {
    const { plane, plans, exchange } = await synced()
    plane.answering = (request, response) => {
      expect(response.req.headers['accept-encoding']).toBe('gzip')
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(JSON.stringify(plane.answerTo(request))))
    }
    await exchange()
    expect(plans.status()).toMatchObject({ source: 'live', problem: undefined })
  })

  test('may strip headers: an unchanged exchange stays small, both ways', async () => {
    const { plane, exchange } = await synced()
    let answered = ''
    plane.answering = (request, response) => {
      answered = JSON.stringify(plane.answerTo(request))
      response.end(answered)
    }
    await exchange()
    await exchange()
    expect(answered.length).toBeLessThan(300)
    expect(plane.sent.at(-1)?.bytes).toBeLessThan(500)
  })

  test('may put the control plane under a path', async () => {
    const paths: (string | undefined)[] = []
    const server = createServer((request, response) => {
      paths.push(request.url)
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    for (const path of ['', '/', '/rail', '/rail/'])
      await (await synced({ url: `http://127.0.0.1:${port}${path}` })).exchanged()
    expect(paths).toEqual(['/v1/sync', '/v1/sync', '/rail/v1/sync', '/rail/v1/sync'])
    await closeAll()
    await new Promise((resolve) => server.close(resolve))
  })
})

describe('waits', () => {
  test('after the first answer any part of the interval, later a little less than it', async () => {
    const { exchange, exchanged } = await synced()
    expect(await exchanged()).toBe(8_550)
    expect(await exchange()).toBeCloseTo(13_050)
    expect(await exchange()).toBeCloseTo(13_050)
  })

  test('after a failure they double, up to 15 s, and start again after an answer', async () => {
    const { plane, exchange, exchanged } = await synced()
    await exchanged()
    plane.answering = plainly('', 500)
    const waits: number[] = []
    for (let index = 0; index < 7; index++) waits.push(await exchange())
    expect(waits).toEqual([600, 1_200, 2_400, 4_800, 9_000, 9_000, 9_000])
    plane.answering = undefined
    expect(await exchange()).toBeCloseTo(13_050)
    plane.answering = plainly('', 500)
    expect(await exchange()).toBe(600)
  })

  test('are as long as Retry-After, up to 5 minutes', async () => {
    const { plane, exchange, exchanged } = await synced()
    await exchanged()
    plane.answering = plainly('', 429, { 'Retry-After': '40' })
    expect(await exchange()).toBe(40_000)
    plane.answering = plainly('', 503, { 'Retry-After': '999999' })
    expect(await exchange()).toBe(300_000)
    plane.answering = plainly('', 503, { 'Retry-After': 'soon' })
    expect(await exchange()).toBe(2_400)
  })

  test('read Retry-After as core does: a decimal, and a date by the clock of the control plane', async () => {
    const { plane, exchange, exchanged } = await synced()
    await exchanged()
    plane.answering = plainly('', 503, { 'Retry-After': '40.5' })
    expect(await exchange()).toBe(40_500)
    const now = 'Sun, 06 Nov 1994 08:49:37 GMT'
    plane.answering = plainly('', 429, { Date: now, 'Retry-After': 'Sun, 06 Nov 1994 08:50:37 GMT' })
    expect(await exchange()).toBe(60_000)
  })

  test('are about a minute if only a person can help', () => {
    for (const status of [401, 403, 404]) {
      expect([waitAfterFailure(1, status, undefined, 0), waitAfterFailure(99, status, undefined, 1)]).toEqual([
        48_000, 60_000,
      ])
    }
  })

  test('are never zero, and spread servers over the whole of their time', () => {
    expect(waitAfterFailure(1, 0, undefined, 0)).toBe(100)
    expect(waitAfterFailure(1_000, 0, undefined, 1)).toBe(15_000)
    expect([waitAfterAnswer(15_000, true, 0), waitAfterAnswer(15_000, true, 1)]).toEqual([0, 14_250])
    expect([waitAfterAnswer(15_000, false, 0), waitAfterAnswer(15_000, false, 1)]).toEqual([11_250, 14_250])
  })
})
