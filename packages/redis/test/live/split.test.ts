import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startControlPlane } from '@rail/control'
import { createLimiter, type Limiter, localStore, manualClock } from '@rail/core'
import { type SyncedPlans, syncPlans } from '@rail/plans'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { RedisStore } from '../../src/index.js'

const SERVERS = 4
const PER_MINUTE = 300
const REQUESTS = 1_200
const port = inject('redisPort')

// A control plane with the setting split, and four servers that count in one Redis.
describe.skipIf(port === 0)('with the setting split', () => {
  const data = mkdtempSync(join(tmpdir(), 'rail-split-'))
  const plans: SyncedPlans[] = []
  const ends: (() => unknown)[] = [() => rmSync(data, { recursive: true, force: true })]

  beforeAll(async () => {
    const control = await startControlPlane({ data, port: 0, syncEvery: '100ms' })
    ends.unshift(() => control.close())
    const { admin = '', sync = '' } = control.firstTokens ?? {}
    const tell = async (method: string, path: string, body: object): Promise<void> => {
      const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
      const { ok, status } = await fetch(control.url + path, { method, headers, body: JSON.stringify(body) })
      if (!ok) throw new Error(`${method} ${path}: ${status}`)
    }
    await tell('PUT', '/v1/plans/free', { limits: { per_minute: PER_MINUTE } })
    await tell('PUT', '/v1/customers/acme', { plan: 'free' })
    await tell('PATCH', '/v1/settings', { servers: 'split' })
    for (let server = 0; server < SERVERS; server++) plans.push(syncPlans({ url: control.url, token: sync }))
    ends.unshift(() => Promise.all(plans.map((one) => one.close())))
    while (!plans.every((one) => one.servers() === SERVERS)) await new Promise((resolve) => setTimeout(resolve, 10))
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })

  async function allowed(limiters: readonly Limiter<string>[]): Promise<number> {
    let count = 0
    for (let request = 0; request < REQUESTS; request++) {
      const { refusal } = await (limiters[request % SERVERS] as Limiter<string>).take('acme')
      if (refusal === undefined) count += 1
    }
    return count
  }

  async function limitersOn(redisPort: number, isUp: boolean): Promise<readonly Limiter<string>[]> {
    const clock = manualClock()
    return Promise.all(
      plans.map(async (limits) => {
        const client = createClient({ socket: { host: '127.0.0.1', port: redisPort }, disableOfflineQueue: true })
        client.on('error', () => {})
        if (isUp) await client.connect()
        if (isUp) ends.unshift(() => client.destroy())
        const store = new RedisStore({ client, prefix: 'split:', useGivenTime: true, deadlineMs: 60_000 })
        const identify = (customer: string): string => customer
        return createLimiter({ identify, limits, store, clock, onStoreFailure: localStore(), onError: () => {} })
      }),
    )
  }

  test('four servers on one Redis allow exactly the limit of the plan', async () => {
    expect(plans.map((one) => one.limitsFor('acme', '')[0]?.tokens)).toEqual([75, 75, 75, 75])
    expect(await allowed(await limitersOn(port, true))).toBe(PER_MINUTE)
  })

  test('without Redis each enforces its share, by the number of servers that the control plane counts', async () => {
    expect(await allowed(await limitersOn(port, false))).toBe(PER_MINUTE)
  })
})
