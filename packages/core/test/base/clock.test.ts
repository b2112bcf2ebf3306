import { afterEach, expect, it, vi } from 'vitest'
import { createLimiter, draft6, limit, manualClock } from '../../src/index.js'

afterEach(() => {
  vi.useRealTimers()
})

it('by default no change of the system’s time gives or takes anything', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const limits = [limit({ name: 'rare', tokens: 1, per: '30d' })]
  const limiter = createLimiter<string>({ identify: (key) => key, limits, headers: draft6 })
  expect((await limiter.take('acme')).refusal).toBeUndefined()
  for (const stepMs of [60 * 86_400_000, -3_600_000, -400 * 86_400_000]) {
    vi.setSystemTime(Date.now() + stepMs)
    const { refusal, headers } = await limiter.take('acme')
    expect([stepMs, refusal?.status, headers.find(({ name }) => name === 'RateLimit-Reset')?.value]).toEqual([
      stepMs,
      429,
      '2147483',
    ])
  }
})

it('that begins at 0 and then jumps by fifty years, as on edge runtimes, fills the bucket, once', async () => {
  const clock = manualClock()
  const limits = [limit({ name: 'two', tokens: 2, per: '1h' })]
  const limiter = createLimiter<string>({ identify: (key) => key, limits, clock })
  const letIn = async (): Promise<boolean> => (await limiter.take('acme')).refusal === undefined
  expect([await letIn(), await letIn(), await letIn()]).toEqual([true, true, false])
  clock.advance(50 * 365 * 86_400_000)
  expect([await letIn(), await letIn(), await letIn()]).toEqual([true, true, false])
})
