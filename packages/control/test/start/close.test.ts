import { once } from 'node:events'
import { copyFileSync, readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { FILE_NAME, openDatabase } from '../../src/store/database.js'
import { dataDirectory, startHarness } from '../support.js'

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

test('after closing, the file alone is the whole database', async () => {
  const { control, call, sync, data } = await startHarness()
  await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  await sync()
  await control.close()
  const copy = dataDirectory()
  copyFileSync(join(data, FILE_NAME), join(copy, FILE_NAME))
  const db = await openDatabase({ directory: copy, now: 0 })
  expect(db.all('SELECT name FROM plan')).toEqual([{ name: 'free' }])
  db.close()
})

test('a view of the database that is closed does not keep the log from being written back', async () => {
  const data = dataDirectory()
  const db = await openDatabase({ directory: data, now: 0 })
  const reader = await db.snapshot()
  reader.all('SELECT * FROM plan')
  reader.close()
  const write = (): void => {
    for (let row = 0; row < 2_000; row++) {
      db.run("INSERT INTO hearsay VALUES ('epoch', ?1, 1) ON CONFLICT DO UPDATE SET servers = excluded.servers", row)
    }
  }
  write()
  const sizes = [sizeOf(data)]
  for (let again = 0; again < 5; again++) {
    write()
    sizes.push(sizeOf(data))
  }
  db.close()
  // It is used again from its start, and does not grow.
  expect(sizes.at(-1)).toBe(sizes[0])
})

function sizeOf(data: string): number {
  const log = readdirSync(data).find((name) => name.endsWith('-wal'))
  return log === undefined ? 0 : statSync(join(data, log)).size
}
