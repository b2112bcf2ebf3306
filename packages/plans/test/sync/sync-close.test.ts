import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { createLimiter, type Limiter } from '@rail/core'
import { afterEach, describe, expect, test } from 'vitest'
import { answerJson } from '../support/fake-control-plane.js'
import { closeAll, type Synced, synced } from '../support/synced.js'

afterEach(closeAll)

const limiterOf = ({ plans, clock }: Synced): Limiter<{ key: string }> =>
  createLimiter({ identify: ({ key }: { key: string }) => key, limits: plans, clock })

/** Lets requests of customers come in. */
async function ask(limiter: Limiter<{ key: string }>, key: string, times = 1): Promise<void> {
  for (let index = 0; index < times; index++) await limiter.take({ key })
}

const allowed = ({ plane }: Synced): number =>
  [...plane.counted.values()].flatMap(({ usage }) => usage).reduce((sum, [, count]) => sum + count, 0)

describe('reports', () => {
  test('have the allowed and the refused requests', async () => {
    const one = await synced()
    await one.exchanged()
    await ask(limiterOf(one), 'zeta', 12)
    await one.exchange()
    expect(one.plane.requests[1]?.report).toEqual({
      seq: 1,
      lengthMs: 8_550,
      usage: [['zeta', 10, 2, 12, [['per_second', 2]]]],
      unknown: [],
      dropped: 0,
    })
    await one.exchange()
    expect(one.plane.requests[2]).not.toHaveProperty('report')
  })

  test('are repeated, unchanged, when an answer is lost, and so counted once', async () => {
    const one = await synced()
    const { plane, exchange, exchanged, plans } = one
    await exchanged()
    const limiter = limiterOf(one)
    await ask(limiter, 'zeta', 5)
    plane.answering = (request, response) => {
      plane.answerTo(request)
      response.destroy()
    }
    await exchange()
    await ask(limiter, 'acme', 5)
    await exchange()
    expect(plans.status().unreported).toBe(2)
    plane.answering = undefined
    await exchange()
    expect(plane.requests.slice(2).map(({ report }) => report)).toEqual([
      plane.requests[1]?.report,
      plane.requests[1]?.report,
    ])
    await exchange()
    expect(plane.requests.at(-1)?.report).toMatchObject({ seq: 2, usage: [['acme', 5, 0, 5, []]] })
    expect([allowed(one), plans.status().unreported]).toEqual([10, 0])
  })

  test('arrive once after a control plane was unavailable: their sum is the allowed requests', async () => {
    const one = await synced()
    const { plane, clock, exchange, exchanged } = one
    await exchanged()
    await plane.stop()
    const limiter = limiterOf(one)
    const before = clock()
    let sum = 0
    while (clock() - before < 60_000) {
      await exchange()
      for (const key of ['zeta', 'acme']) {
        await ask(limiter, key, 7)
        sum += 7
      }
    }
    await plane.restart()
    await exchange()
    await exchange()
    expect(allowed(one)).toBe(sum)
  })

  test('follow at once if one has no room for all customers', async () => {
    const one = await synced({ newCustomers: 'default-plan' })
    await one.exchanged()
    const limiter = limiterOf(one)
    for (let index = 0; index < 20_001; index++) await ask(limiter, `c${index}`)
    expect(await one.exchange()).toBeLessThan(1_000)
    expect(await one.exchange()).toBeGreaterThan(10_000)
    expect(allowed(one)).toBe(20_001)
    expect(one.plane.sent[1]?.encoding).toBe('gzip')
  })

  test('that are never acknowledged are repeated at the usual pace, and end when the server closes', async () => {
    const one = await synced()
    const { plane, plans, exchange, exchanged } = one
    await exchanged()
    await ask(limiterOf(one), 'zeta', 3)
    plane.answering = (request, response) => answerJson(response, { ...plane.answerTo(request), ackSeq: undefined })
    expect(await exchange()).toBeGreaterThan(10_000)
    expect(await exchange()).toBeGreaterThan(10_000)
    await plans.close()
    expect(plane.requests.slice(1).map(({ report }) => report?.seq)).toEqual([1, 1, 1, 1])
  })

  test.each([413, 400])('that are refused with %i are found, halved, and delay nothing', async (status) => {
    const one = await synced()
    const { plane, plans, exchange, exchanged, errors } = one
    await exchanged()
    const limiter = limiterOf(one)
    await ask(limiter, 'zeta', 3)
    await ask(limiter, 'acme', 4)
    plane.rev = 2
    plane.answering = (request, response) => {
      if ((request.report?.usage.length ?? 0) > 1) response.writeHead(status).end()
      else answerJson(response, plane.answerTo(request))
    }
    await exchange()
    expect(plans.status().rev).toBe(1)
    expect(await exchange()).toBeLessThan(1_000)
    expect([plane.requests[2]?.report, plans.status().rev]).toEqual([undefined, 2])
    for (let index = 0; index < 3; index++) await exchange()
    expect([...plane.counted.values()].map(({ seq, usage }) => [seq, usage.length])).toEqual([
      [1, 1],
      [2, 1],
    ])
    expect([allowed(one), errors.map(({ code }) => code)]).toEqual([7, ['RAIL_SYNC_FAILED', 'RAIL_SYNC_RECOVERED']])
  })

  test('are not dropped by a control plane that refuses everything', async () => {
    const one = await synced()
    const { plane, exchange, exchanged } = one
    await exchanged()
    await ask(limiterOf(one), 'zeta', 3)
    plane.answering = (_, response) => response.writeHead(400).end()
    for (let index = 0; index < 9; index++) await exchange()
    plane.answering = undefined
    await exchange()
    await exchange()
    expect(allowed(one)).toBe(3)
  })
})

describe('close', () => {
  test('sends the last report, and leaves', async () => {
    const one = await synced()
    await one.exchanged()
    await ask(limiterOf(one), 'zeta', 3)
    await one.plans.close()
    expect(one.plane.requests).toHaveLength(2)
    expect(one.plane.requests[1]).toMatchObject({ leaving: true, report: { usage: [['zeta', 3, 0, 3, []]] } })
  })

  test('does not leave with leaveOnClose: false: the server stays counted', async () => {
    const one = await synced({ leaveOnClose: false })
    await one.exchanged()
    await ask(limiterOf(one), 'zeta', 3)
    await one.plans.close()
    expect(allowed(one)).toBe(3)
    expect(one.plane.requests[1]).not.toHaveProperty('leaving')
    const idle = await synced({ leaveOnClose: false })
    await idle.exchanged()
    await idle.plans.close()
    expect(idle.plane.requests).toHaveLength(1)
  })

  test('sends all reports, if there are several', async () => {
    const one = await synced({ newCustomers: 'default-plan' })
    await one.exchanged()
    const limiter = limiterOf(one)
    for (let index = 0; index < 20_001; index++) await ask(limiter, `c${index}`)
    await one.plans.close()
    expect(allowed(one)).toBe(20_001)
  })

  test('waits for a running exchange, and reports the requests after it', async () => {
    const one = await synced()
    const { plane, plans, timers, exchanged } = one
    await exchanged()
    const limiter = limiterOf(one)
    let finish = (): void => {}
    const came = new Promise<void>((resolve) => {
      plane.answering = (request, response) => {
        finish = () => answerJson(response, plane.answerTo(request))
        resolve()
      }
    })
    await ask(limiter, 'zeta', 2)
    timers.fire((afterMs) => afterMs !== 10_007)
    await came
    await ask(limiter, 'zeta', 3)
    plane.answering = undefined
    const closed = plans.close()
    finish()
    await closed
    const said = plane.requests.map(({ leaving, report }) => [leaving, report?.seq])
    expect(said).toEqual([
      [undefined, undefined],
      [undefined, 1],
      [true, 2],
    ])
    expect(allowed(one)).toBe(5)
  })

  test('tries once more over another connection when one is dead', async () => {
    const one = await synced()
    const { plane, plans, exchanged } = one
    await exchanged()
    plane.answering = (_, response) => {
      plane.answering = undefined
      response.destroy()
    }
    await plans.close()
    expect(plane.requests.map(({ leaving }) => leaving)).toEqual([undefined, true, true])
  })

  test('ends without an answer', async () => {
    const one = await synced()
    const { plane, plans, timers, exchanged } = one
    await exchanged()
    const came = new Promise<void>((resolve) => {
      plane.answering = () => resolve()
    })
    const closed = plans.close()
    await came
    // Two timers of this length run: the exchange's own, and that of closing as a whole.
    timers.fire((afterMs) => afterMs === 10_007)
    await closed
    expect(timers.waits()).toEqual([])
  })

  test('happens once, stops the exchanges, and leaves the limits as they are', async () => {
    const one = await synced()
    const { plane, plans, timers, perSecond, exchanged } = one
    await exchanged()
    expect(plans.close()).toBe(plans.close())
    await plans.close()
    await ask(limiterOf(one), 'zeta')
    plans.limitsFor('new', '')
    expect(plane.requests).toHaveLength(2)
    expect(timers.waits()).toEqual([])
    expect([perSecond('acme'), plans.status().unreported]).toEqual([50, 0])
  })
})

// Programs take a while to start on a busy machine.
describe('a process', { timeout: 60_000 }, () => {
  const program = (url: string, rest: string): Promise<{ stdout: string }> => {
    const code = `import { syncPlans } from '../../src/index.js'\nconst plans = syncPlans({ url: '${url}', token: 'x', timeout: '10m', onError: () => {} })\n${rest}`
    const args = ['-C', '@rail/source', '--import', 'tsx', '--input-type=module', '-e', code]
    return promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname, timeout: 50_000 })
  }

  test('is not kept alive by waits, nor by an exchange that hangs', async () => {
    // Answers nothing but this: that an exchange hangs.
    let hangs = (): void => {}
    const hanging = new Promise<void>((resolve) => {
      hangs = resolve
    })
    const server = createServer((request, response) => {
      if (request.method === 'POST') hangs()
      else void hanging.then(() => response.end())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await program(url, `await fetch('${url}')\nawait plans.limitsFor('acme', '')`)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    const { plane } = await synced()
    await program(plane.url, '')
  })

  test('that waits for ready, and for close, is kept alive until then', async () => {
    const { plane } = await synced()
    const { stdout } = await program(
      plane.url,
      "console.log(await plans.ready())\nawait plans.close()\nconsole.log('closed')",
    )
    expect(stdout).toBe('live\nclosed\n')
    expect(plane.requests.at(-1)).toMatchObject({ leaving: true })
  })
})
