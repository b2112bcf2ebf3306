import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { unrefSchedule } from '../../src/base/schedule.js'

const DAY = 86_400_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([1, DAY, 2 ** 31 - 1, 2 ** 31, 30 * DAY, 365 * DAY])('a task runs once, after %d ms and not before', (ms) => {
  const task = vi.fn()
  unrefSchedule(task, ms)
  vi.advanceTimersByTime(ms - 1)
  expect(task).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(task).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
})

test('a cancelled task does not run, even late in a long wait', () => {
  const task = vi.fn()
  const cancel = unrefSchedule(task, 60 * DAY)
  vi.advanceTimersByTime(30 * DAY)
  cancel()
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(60 * DAY)
  expect(task).not.toHaveBeenCalled()
})
