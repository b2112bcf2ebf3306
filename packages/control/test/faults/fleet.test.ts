import { manualClock } from '@rail/core'
import { expect, test } from 'vitest'
import { type ApiServer, startApi, until } from '../fleet.js'
import { type Harness, START, startHarness } from '../support.js'

const MINUTE = 60_000

/** A control plane with syncs every 100 ms and 10 requests per second for everybody, and this many API processes. */
async function fleet(
  size: number,
  setting: 'each' | 'split',
): Promise<{ harness: Harness; apis: ApiServer[]; join(): Promise<ApiServer> }> {
  const harness = await startHarness({ syncEvery: 100, clock: manualClock(START) })
  const { call, control, syncToken: token } = harness
  await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  await call('/v1/settings', { method: 'PATCH', body: { defaultPlan: 'free', servers: setting } })
  await call('/v1/customers/acme', { method: 'PUT', body: {} })
  const join = () => startApi({ url: control.url, token })
  const apis = await Promise.all(Array.from({ length: size }, join))
  return { harness, apis, join }
}

/** Whether every server sends this burst in its policy. */
const allSend = (apis: readonly ApiServer[], burst: number) => async () => {
  for (const api of apis) if ((await api.ask()).burst !== burst) return false
  return true
}

test('10 per second split on 4 processes is 3 on each; a fifth makes it 2; a clean stop counts out at once, a kill after ten minutes', async () => {
  const { harness, apis, join } = await fleet(4, 'split')
  const { call, clock } = harness
  await until(allSend(apis, 3))
  for (const api of apis) {
    await api.advance(MINUTE)
    expect(await api.burst(10)).toBe(3)
  }

  apis.push(await join())
  // It is counted from its first sync on, so it has its right share from its first request on.
  expect((await apis[4]?.ask())?.burst).toBe(2)
  await until(allSend(apis, 2))
  for (const api of apis) {
    await api.advance(MINUTE)
    expect(await api.burst(10)).toBe(2)
  }

  await apis.pop()?.stop('SIGTERM')
  await until(allSend(apis, 3))

  await apis.pop()?.stop('SIGKILL')
  const killed = clock()
  const counted = async () => (await call('/v1/servers')).body.counted
  // The other servers sync in the meantime.
  for (let passed = 0; passed < 9 * MINUTE; passed += MINUTE / 2) {
    clock.advance(MINUTE / 2)
    const isHeard = async () => {
      const servers = (await call('/v1/servers')).body.servers as unknown as { lastSync: number }[]
      return servers.filter(({ lastSync }) => lastSync === clock()).length === 3
    }
    await until(isHeard)
  }
  clock.set(killed + 10 * MINUTE - 1)
  expect(await counted()).toBe(4)
  clock.set(killed + 10 * MINUTE)
  expect(await counted()).toBe(3)
  await until(allSend(apis, 4))
})

test('a raised limit of one customer is enforced by every process, as its answers show', async () => {
  const { harness, apis } = await fleet(3, 'each')
  await until(allSend(apis, 10))
  for (const api of apis) {
    await api.advance(MINUTE)
    expect(await api.burst(20)).toBe(10)
  }
  await harness.call('/v1/customers/acme/overrides', {
    method: 'PATCH',
    body: { per_second: { tokens: 50, for: '24h' } },
  })
  await until(allSend(apis, 50))
  for (const api of apis) {
    await api.advance(MINUTE)
    expect(await api.burst(60)).toBe(50)
    expect((await api.ask('somebody-else')).burst).not.toBe(50)
  }
  harness.clock.advance(24 * 60 * MINUTE)
  await until(allSend(apis, 10))
})

test('a change of a plan keeps the tokens that a bucket has spent', async () => {
  const { harness, apis } = await fleet(1, 'each')
  const [api] = apis as [ApiServer]
  await until(allSend(apis, 10))
  await api.advance(MINUTE)
  expect(await api.burst(6)).toBe(6)
  await harness.call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 20 } } })
  // Polling takes tokens too: the first answer with the new limit has the tokens left and those added.
  let last = { status: 200, burst: 10 as number | undefined, left: 4 as number | undefined }
  let taken = 6
  await until(async () => {
    last = await api.ask()
    if (last.status === 200) taken += 1
    return last.burst === 20
  })
  expect(last.left).toBe(20 - taken)
})

test('a process with leaveOnClose: false is counted after a clean stop too', async () => {
  const { harness, apis } = await fleet(1, 'split')
  const { control, syncToken: token, call } = harness
  const quiet = await startApi({ url: control.url, token, env: { LEAVE: 'no' } })
  await until(allSend(apis, 5))
  await quiet.stop('SIGTERM')
  expect((await call('/v1/servers')).body).toMatchObject({ counted: 2 })
  expect((await call('/v1/servers')).body.servers?.[0]?.leftAt).toBeNull()
})

test('all of eight processes enforce a raised limit within 15 seconds, at the usual interval, as their answers show', {
  timeout: 120_000,
}, async () => {
  const { call, control, syncToken: token } = await startHarness({ clock: manualClock(START) })
  await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  await call('/v1/settings', { method: 'PATCH', body: { defaultPlan: 'free' } })
  await call('/v1/customers/acme', { method: 'PUT', body: {} })
  const apis = await Promise.all(Array.from({ length: 8 }, () => startApi({ url: control.url, token })))
  await until(allSend(apis, 10))
  // Past the first, which come at random so that a fleet spreads: the longest waits are those that follow.
  await new Promise((resolve) => setTimeout(resolve, 15_000))
  const began = performance.now()
  await call('/v1/customers/acme/overrides', { method: 'PATCH', body: { per_second: { tokens: 50, for: '24h' } } })
  const took = await Promise.all(
    apis.map(async (api) => {
      await until(async () => (await api.ask()).burst === 50)
      return performance.now() - began
    }),
  )
  const seconds = took.map((ms) => (ms / 1_000).toFixed(1)).sort()
  console.info(`a raised limit held after ${seconds.join(', ')} s`)
  expect(Math.max(...took)).toBeLessThan(15_000)
})
