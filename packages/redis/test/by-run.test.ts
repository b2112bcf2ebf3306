import { perSecond, RailError } from '@rail/core'
import { describe, expect, test, vi } from 'vitest'
import { heapBytes } from '../../core/test/heap.js'
import { RedisStore, type RedisStoreOptions, type RunScript } from '../src/index.js'
import { isSettledWithin } from './support/takes.js'

const limits = [perSecond(10)]
const DEADLINE_MS = 30

/** A store on a client of our own making, and what was sent by it. */
function storeBy(run: RunScript, more: Partial<RedisStoreOptions> = {}) {
  const sent: { keys: readonly string[]; args: readonly string[] }[] = []
  const store = new RedisStore({
    run: (script, sha, keys, args) => {
      sent.push({ keys, args })
      return run(script, sha, keys, args)
    },
    deadlineMs: DEADLINE_MS,
    ...more,
  })
  const take = async (key = 'acme') => {
    try {
      return await store.take([{ key, limits, cost: 1 }], 0)
    } catch (error) {
      expect(error).toBeInstanceOf(RailError)
      return error as RailError
    }
  }
  return { sent, store, take }
}

/** Waits until what was taken in this turn is sent, and its deadline has begun. */
async function startOfDeadline(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

function block(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

/** A store whose take is answered when `late` is called. */
function answeredLater() {
  let late = (): void => {}
  const run: RunScript = () =>
    new Promise((resolve) => {
      late = () => resolve([1, 0, 100])
    })
  return { ...storeBy(run), late: () => late() }
}

/** The reply of a script that allows every take. */
const allowed: RunScript = async (_script, _sha, keys) => keys.flatMap(() => [1, 0, 100])
const never: RunScript = () => new Promise(() => {})

describe('by any client', () => {
  test('a take is decided by the reply of the script, as numbers or as strings', async () => {
    for (const answer of [
      [1, 0, 300],
      ['1', '0', '300'],
      [1n, 0n, 300n],
      [Buffer.from('1'), '0', 300],
    ]) {
      const { take } = storeBy(async () => answer)
      expect(await take()).toMatchObject({ allowed: true, limits: [{ remaining: 7, fullAfterMs: 300 }] })
    }
  })

  test('run gets all that it needs: the script, its SHA-1, names and arguments as strings', async () => {
    const seen: unknown[] = []
    const { take } = storeBy(async (script, sha, keys, args) => {
      seen.push(script.includes('KEYS'), sha, keys, args)
      return [1, 0, 100]
    })
    await take()
    expect(seen.slice(0, 2)).toEqual([true, expect.stringMatching(/^[0-9a-f]{40}$/)])
    expect(seen[2]).toEqual(['rail:{acme}'])
    expect(seen[3]).toEqual(['', 'take', '100 1 10 10 per_second\n', '<c00000023dd', '1', '900', '100'])
  })

  test.each([
    ['nothing', undefined],
    ['a string', 'OK'],
    ['an error as a value', new Error('no')],
    ['too few numbers', [1, 0]],
    ['no numbers', []],
    ['null for a number', [1, 0, null]],
    ['a fraction', [1, 0, 0.5]],
    ['below 0', [1, 0, -100]],
    ['not finite', [1, 0, Number.NaN]],
    ['a boolean', [true, 0, 100]],
    ['neither allowed nor refused', [4, 0, 100]],
  ])('an answer that is %s is a failure, never a free pass', async (_, answer) => {
    const { take } = storeBy(async () => answer)
    expect(await take()).toMatchObject({ code: 'RAIL_STORE_FAILED' })
  })

  test('a client that throws, or rejects with anything, is a failure with its cause', async () => {
    const cause = new Error('gone')
    const throws = storeBy(() => {
      throw cause
    })
    expect(await throws.take()).toMatchObject({
      code: 'RAIL_STORE_FAILED',
      message: 'Redis: expected a reply, got an error: gone.',
      cause,
    })
    class TimeoutError extends Error {}
    const silent = storeBy(() => Promise.reject(new TimeoutError()))
    expect(await silent.take()).toMatchObject({ message: expect.stringContaining('got an error: TimeoutError.') })
    const rejects = storeBy(() => Promise.reject('just a text'))
    expect(await rejects.take()).toMatchObject({ code: 'RAIL_STORE_FAILED', cause: 'just a text' })
  })

  test('a failure is named also by those that the open breaker refuses', async () => {
    const { take, sent } = storeBy(() => Promise.reject(new Error('NOAUTH Authentication required.')))
    for (let request = 0; request < 8; request++) {
      expect(await take()).toMatchObject({ message: expect.stringContaining('NOAUTH Authentication required') })
    }
    expect(sent).toHaveLength(5)
  })

  test('one bad item does not fail its neighbours', async () => {
    const { take, sent } = storeBy(async () => [1, 0, 100, '!WRONGTYPE what it holds', 0, 0, 1_000])
    const [first, second, third] = await Promise.all([take('a'), take('b'), take('c')])
    expect(first).toMatchObject({ allowed: true })
    expect(second).toMatchObject({ message: 'Redis script: expected a result, got an error: WRONGTYPE what it holds.' })
    expect(third).toMatchObject({ allowed: false, retryAfterMs: 100 })
    expect(sent).toHaveLength(1)
  })
})

describe('a client that does not answer', () => {
  /** The time that the store reads from now on stands still, however slow the machine is; gives a way to move it. */
  function stopClock(): (ms: number) => void {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    return (ms) => {
      now += ms
    }
  }

  test('holds up no take past its deadline, and past twice that where the process is busy', async () => {
    const { take } = storeBy(never)
    const first = take()
    expect(await isSettledWithin([DEADLINE_MS, DEADLINE_MS, 20], first)).toBe(true)
    expect(await first).toMatchObject({
      code: 'RAIL_STORE_FAILED',
      message: expect.stringMatching(/^Redis: expected a reply within 30 ms, got none\./),
    })
  })

  test('gets only one probe at a time after five failures in a row', async () => {
    const advance = stopClock()
    const { take, sent } = storeBy(never)
    for (let request = 0; request < 5; request++) await take()
    expect(sent).toHaveLength(5)
    for (let request = 0; request < 20; request++) {
      expect((await take()) as RailError).toMatchObject({ message: expect.stringContaining('failed 5 times in a row') })
    }
    expect(sent).toHaveLength(5)
    advance(499)
    await take()
    expect(sent).toHaveLength(5)
    advance(1)
    const probes = await Promise.all(Array.from({ length: 3 }, () => take()))
    expect(sent).toHaveLength(6)
    expect(probes).toHaveLength(3)
  })

  test('gets no more though its replies come late, and a late failure counts once', async () => {
    stopClock()
    const late: { resolve(value: unknown): void; reject(error: unknown): void }[] = []
    const { take, sent } = storeBy(() => new Promise((resolve, reject) => late.push({ resolve, reject })))
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
    for (let request = 0; request < 4; request++) {
      await take()
      late[request]?.reject(new Error('late'))
      await turn()
    }
    expect(sent).toHaveLength(4)
    await take()
    late[4]?.resolve([1, 0, 100])
    await turn()
    expect(await take()).toMatchObject({ message: expect.stringContaining('failed 5 times in a row') })
    expect(sent).toHaveLength(5)
  })

  test('is asked on while the process is too busy to know whether it answers', async () => {
    const { take, sent } = storeBy(never)
    for (let request = 1; request <= 7; request++) {
      const failure = take()
      await startOfDeadline()
      block(2 * DEADLINE_MS)
      expect(await failure).toMatchObject({
        code: 'RAIL_STORE_FAILED',
        message: expect.stringMatching(
          /^Redis: expected a reply within 30 ms, got none. This process was busy for \d+ ms/,
        ),
      })
      expect(sent).toHaveLength(request)
    }
  })

  test('has the time again that the process was busy, no longer than its deadline', async () => {
    for (const [afterMs, result] of [
      [DEADLINE_MS / 2, { allowed: true }],
      [2 * DEADLINE_MS, { code: 'RAIL_STORE_FAILED' }],
    ] as const) {
      const { take, late } = answeredLater()
      const taking = take()
      await startOfDeadline()
      block(5 * DEADLINE_MS)
      setTimeout(late, afterMs)
      expect(await taking).toMatchObject(result)
    }
  })

  test('has that time once, however busy the process is then', async () => {
    const { take, late } = answeredLater()
    const taking = take()
    await startOfDeadline()
    block(2 * DEADLINE_MS)
    // The first of these turns finds the timer late.
    await startOfDeadline()
    block(2 * DEADLINE_MS)
    setTimeout(late, DEADLINE_MS / 2)
    expect(await taking).toMatchObject({ code: 'RAIL_STORE_FAILED' })
  })

  test('may answer late: the reply is ignored, and so is a late failure', async () => {
    const late: { resolve(value: unknown): void; reject(error: unknown): void }[] = []
    const { take } = storeBy(() => new Promise((resolve, reject) => late.push({ resolve, reject })))
    expect(await take()).toMatchObject({ code: 'RAIL_STORE_FAILED' })
    expect(await take()).toMatchObject({ code: 'RAIL_STORE_FAILED' })
    late[0]?.resolve([1, 0, 100])
    late[1]?.reject(new Error('late'))
    await new Promise((resolve) => setImmediate(resolve))
  })
})

describe('the items of one turn', () => {
  test('are sent together, at most 64 in one script', async () => {
    const { take, sent } = storeBy(allowed)
    await Promise.all(Array.from({ length: 150 }, (_, number) => take(`customer-${number}`)))
    expect(sent.map(({ keys }) => keys.length)).toEqual([64, 64, 22])
  })

  test('in a cluster are sent in one script for each tag', async () => {
    const { take, sent } = storeBy(allowed, { cluster: true, tag: (key) => key.slice(0, 1) })
    await Promise.all(['a1', 'b1', 'a2', 'c1', 'b2', 'a3'].map(take))
    expect(sent.map(({ keys }) => keys)).toEqual([
      ['rail:{a}{a1', 'rail:{a}{a2', 'rail:{a}{a3'],
      ['rail:{b}{b1', 'rail:{b}{b2'],
      ['rail:{c}{c1'],
    ])
  })

  test('are sent apart where the given times differ', async () => {
    const { store, sent } = storeBy(allowed, { useGivenTime: true })
    const times = [5, 5, 6, 5]
    await Promise.all(times.map((now) => store.take([{ key: 'acme', limits, cost: 1 }], now)))
    expect(sent.map(({ keys, args }) => [args[0], keys.length])).toEqual([
      ['5', 2],
      ['6', 1],
      ['5', 1],
    ])
  })
})

test('a key of 200 MB is counted and not kept, nor copied in one piece', async () => {
  const { store, sent } = storeBy(async () => [0, 0, 1_000], { rememberRefusals: true })
  const before = heapBytes()
  const take = async (): Promise<number> => {
    const key = 'k'.repeat(200_000_000)
    // Makes it one piece.
    expect(key.charCodeAt(5)).toBe(107)
    const peakKb = process.resourceUsage().maxRSS
    const decision = store.take([{ key, limits, cost: 1 }], 0)
    expect(process.resourceUsage().maxRSS - peakKb).toBeLessThan(100_000)
    return (await decision).limits.length
  }
  expect(await take()).toBe(1)
  await store.reset('k'.repeat(200_000_000))
  expect(sent.map(({ keys }) => keys[0]?.length)).toEqual([51, 51])
  expect(sent[1]?.keys).toEqual(sent[0]?.keys)
  expect(heapBytes() - before).toBeLessThan(10_000_000)
})

test('a take of nothing is allowed, and a settle of nothing moves nothing: neither is sent', async () => {
  const { store, sent } = storeBy(allowed)
  expect(await store.take([], 0)).toMatchObject({ allowed: true, limits: [] })
  await store.settle([{ key: 'acme', limits, cost: 3 }], 3, 0)
  await store.settle([{ key: 'acme', limits: [perSecond(1, { counts: 'requests' })], cost: 3 }], 5, 0)
  expect(sent).toEqual([])
})
