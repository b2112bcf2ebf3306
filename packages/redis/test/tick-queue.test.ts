import { createHook } from 'node:async_hooks'
import { expect, test, vi } from 'vitest'
import type { Connection } from '../src/connection.js'
import { TickQueue } from '../src/tick-queue.js'

/** A connection of our own making, to a server "A" that answers 1 to all, and a server "B" that never answers. */
function connection(more: Partial<Connection> = {}): { sent: string[][]; connection: Connection } {
  const sent: string[][] = []
  return {
    sent,
    connection: {
      isCluster: true,
      writesLater: true,
      serverOf: (tag) => (tag.startsWith('a') ? 'A' : 'B'),
      notReady: () => undefined,
      run: (_script, _sha, keys) => {
        sent.push([...keys])
        return keys[0]?.startsWith('a') ? Promise.resolve(keys.map(() => 1)) : new Promise(() => {})
      },
      info: async () => [],
      ...more,
    },
  }
}

const ask = (queue: TickQueue, tag: string): Promise<'answered' | 'failed'> =>
  new Promise((resolve) => {
    const answer = (): number => {
      resolve('answered')
      return 1
    }
    queue.add({ tag, keys: [tag], args: [], answer, fail: () => resolve('failed') }, '')
  })

test('a server of a cluster that does not answer gets no more commands; the others do', async () => {
  // Time stands still, however slow the machine is: no probe is due.
  vi.spyOn(performance, 'now').mockReturnValue(0)
  const { connection: made, sent } = connection()
  const queue = new TickQueue(made, 10)
  for (let round = 0; round < 8; round++) {
    expect(await Promise.all([ask(queue, `b${round}`), ask(queue, `a${round}`)])).toEqual(['failed', 'answered'])
  }
  expect(sent.flat().filter((key) => key.startsWith('b'))).toHaveLength(5)
  expect(sent.flat().filter((key) => key.startsWith('a'))).toHaveLength(8)
})

test('a client that is not connected gets nothing, and gets commands again as soon as it is', async () => {
  let reason: string | undefined = 'its client is not connected'
  const { connection: made, sent } = connection({ notReady: () => reason })
  const queue = new TickQueue(made, 1_000)
  for (let round = 0; round < 20; round++) expect(await ask(queue, 'a')).toBe('failed')
  expect(sent).toEqual([])
  reason = undefined
  expect(await ask(queue, 'a')).toBe('answered')
})

test('no timer is left by what has been answered, has failed, or is under way when the store is closed', async () => {
  const timers = new Set<number>()
  const hook = createHook({
    init: (id, type) => {
      if (type === 'Timeout') timers.add(id)
    },
    destroy: (id) => timers.delete(id),
  }).enable()
  const { connection: made } = connection()
  const queue = new TickQueue(made, 60_000)
  await Promise.all(['a1', 'a2', 'a3'].map((tag) => ask(queue, tag)))
  const pending = ['b1', 'b2'].map((tag) => ask(queue, tag))
  // Sent at the end of this turn. The deadline begins in the next.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(timers.size).toBeGreaterThan(0)
  pending.push(ask(queue, 'b3'))
  queue.close()
  expect(await Promise.all(pending)).toEqual(['failed', 'failed', 'failed'])
  await new Promise((resolve) => setImmediate(resolve))
  hook.disable()
  expect(timers.size).toBe(0)
})
