import { type Decision, MemoryStore, type Store } from '@rail/core'
import fc from 'fast-check'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { RedisStore, type RedisStoreOptions } from '../../src/index.js'
import { onwardPrograms, programs, type Step } from '../support/programs.js'

const port = inject('redisPort')

describe.skipIf(port === 0)('redis and memory', () => {
  const client = createClient({ url: `redis://127.0.0.1:${port}`, disableOfflineQueue: true })
  let stores = 0
  beforeAll(async () => {
    await client.connect()
  })
  afterAll(() => {
    client.destroy()
  })

  async function decideAlike(drawn: typeof programs, seed: number, more?: Partial<RedisStoreOptions>): Promise<number> {
    let steps = 0
    await fc.assert(
      fc.asyncProperty(drawn, async (program) => {
        const prefix = `same-${++stores}:`
        const redis = new RedisStore({ client, prefix, useGivenTime: true, deadlineMs: 60_000, ...more })
        const memory = new MemoryStore()
        let now = 0
        for (const step of program) {
          steps++
          if (step.do === 'wait') now = Math.min(now + step.ms, Number.MAX_SAFE_INTEGER / 2)
          else expect(await done(redis, step, now)).toEqual(await done(memory, step, now))
        }
        // Whatever was done, nothing is left for ever.
        for (const name of await client.keys(`${prefix}*`)) expect(await client.pTTL(name)).toBeGreaterThan(0)
        redis.close()
      }),
      { numRuns: 200, seed },
    )
    return steps
  }

  test('decide alike, whatever is taken, changed and done to the clock', async () => {
    expect(await decideAlike(programs, 4)).toBeGreaterThan(6_000)
  }, 120_000)

  test('decide alike with the refusal cache, while the clock goes on', async () => {
    expect(await decideAlike(onwardPrograms, 5, { rememberRefusals: true })).toBeGreaterThan(6_000)
  }, 120_000)

  test('decide alike for customers of one turn', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(programs, { minLength: 2, maxLength: 8 }), async (together) => {
        const prefix = `same-${++stores}:`
        const redis = new RedisStore({ client, prefix, useGivenTime: true, deadlineMs: 60_000 })
        const memory = new MemoryStore()
        for (let index = 0; index < 20; index++) {
          const steps = together.flatMap((program) => program[index] ?? [])
          const asked = steps.filter((step) => step.do !== 'wait')
          const now = index * 700
          const answers = await Promise.all(asked.map((step) => done(redis, step, now)))
          const expected: Answer[] = []
          for (const step of asked) expected.push(await done(memory, step, now))
          expect(answers).toEqual(expected)
        }
        redis.close()
      }),
      { numRuns: 60, seed: 6 },
    )
  }, 120_000)
})

type Answer = Decision | 'done' | { readonly code: unknown }

async function done(store: Store, step: Exclude<Step, { readonly do: 'wait' }>, now: number): Promise<Answer> {
  try {
    if ('charges' in step && step.do !== 'settle') return await store[step.do](step.charges, now, step.before)
    if (step.do === 'settle') await store.settle(step.charges, step.actual, now)
    else if (step.do === 'reset') await store.reset(step.key, step.scope)
    return 'done'
  } catch (error) {
    return { code: (error as { code?: unknown }).code }
  }
}
