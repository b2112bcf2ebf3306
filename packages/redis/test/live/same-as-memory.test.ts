import { type Decision, MemoryStore, type Store } from '@rail/core'
import fc from 'fast-check'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { programs, type Step } from '../support/programs.js'

const port = inject('redisPort')

describe.skipIf(port === 0)('redis and memory', () => {
  const client = createClient({ url: `redis://127.0.0.1:${port}`, disableOfflineQueue: true })
  beforeAll(async () => {
    await client.connect()
  })
  afterAll(() => {
    client.destroy()
  })

  test('decide alike, whatever is asked', async () => {
    let run = 0
    let steps = 0
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const redis = new RedisStore({ client, prefix: `same-${++run}:`, useGivenTime: true, deadlineMs: 60_000 })
        const memory = new MemoryStore()
        let now = 0
        for (const step of program) {
          steps++
          if (step.do === 'wait') now = Math.min(now + step.ms, Number.MAX_SAFE_INTEGER / 2)
          else expect(await done(redis, step, now)).toEqual(await done(memory, step, now))
        }
        redis.close()
      }),
      { numRuns: 400, seed: 4 },
    )
    expect(steps).toBeGreaterThan(10_000)
  }, 120_000)
})

type Answer = Decision | 'done' | { readonly code: unknown }

async function done(store: Store, step: Exclude<Step, { readonly do: 'wait' }>, now: number): Promise<Answer> {
  try {
    if ('charges' in step && step.do !== 'settle') return await store[step.do](step.charges, now)
    if (step.do === 'settle') await store.settle(step.charges, step.actual, now)
    else if (step.do === 'reset') await store.reset(step.key, step.scope)
    return 'done'
  } catch (error) {
    return { code: (error as { code?: unknown }).code }
  }
}
