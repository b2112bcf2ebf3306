import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { SyncRequest } from '@rail/plans/sync-protocol'
import { expect, test } from 'vitest'
import { aServer, type Harness, startHarness } from '../support.js'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** What is in use after a garbage collection, buffers too, in bytes. */
async function inUse(): Promise<number> {
  // Objects that end in a turn of their own, such as streams, are released first.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    gc()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const CUSTOMERS = 5_000
const SERVERS = 20

/** One interval: a plan and a customer change, and every server reports and gets them. */
async function interval({ call, sync, clock }: Harness, servers: SyncRequest[], round: number): Promise<void> {
  clock.advance(15_000)
  await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 + round } } })
  await call(`/v1/customers/c${round}/overrides`, { method: 'PATCH', body: { per_second: 50 } })
  for (const [index, server] of servers.entries()) {
    const usage = Array.from({ length: 200 }, (_, number): [string, number, number, number, [string, number][]] => [
      `c${index * 200 + number}`,
      3,
      1,
      2,
      [['per_second', 1]],
    ])
    const report = { seq: round, lengthMs: 15_000, usage, unknown: [`new-${round}-${index}`], dropped: 0 }
    // One is new each time, and gets everything.
    const isNew = index === 0
    const instance = isNew ? `new-server-${round}` : server.instance
    const { have, ...nothing } = { ...server, instance, report }
    const { epoch, rev } = await sync(isNew ? nothing : { ...nothing, have })
    servers[index] = { ...server, have: { epoch, rev } }
  }
}

test('the memory of a control plane is flat, however long servers report, join, and get changes', async () => {
  const harness = await startHarness()
  await harness.call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  const ids = Array.from({ length: CUSTOMERS }, (_, number) => `c${number},free`)
  await harness.call('/v1/customers.csv', { method: 'POST', body: `id,plan\n${ids.join('\n')}` })
  const servers = Array.from({ length: SERVERS }, (_, number) => aServer(String(number)))
  for (let round = 1; round <= 20; round++) await interval(harness, servers, round)
  const early = await inUse()
  for (let round = 21; round <= 60; round++) await interval(harness, servers, round)
  const growth = (await inUse()) - early
  console.info(`40 intervals of ${SERVERS} servers later, ${(growth / 1e6).toFixed(1)} MB more are in use`)
  expect(growth).toBeLessThan(3_000_000)
}, 120_000)
