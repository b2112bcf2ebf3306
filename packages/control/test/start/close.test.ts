import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { startHarness } from '../support.js'

afterEach(() => void vi.useRealTimers())

test('closing waits ten seconds for requests under way, and no longer for one that never ends', async () => {
  const { control } = await startHarness()
  const socket = connect(Number(new URL(control.url).port), '127.0.0.1')
  socket.write(
    'POST /v1/sync HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"v":',
  )
  await once(socket, 'data')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const closed = vi.fn()
  const closing = control.close().then(closed)
  vi.advanceTimersByTime(9_999)
  await fetch(control.url).catch(() => {})
  expect(closed).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  await closing
})

test('closing leaves no timer where nothing is under way', async () => {
  const { control } = await startHarness()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await control.close()
  expect(vi.getTimerCount()).toBe(0)
})
