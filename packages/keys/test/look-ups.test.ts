import { type Limit, manualClock, perHour } from '@rail/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { apiKeys, hashKey } from '../src/index.js'
import type { Customer } from './frameworks.js'

/** Checks whose look-ups end when the test says so. */
function held(options: { failures?: readonly Limit[]; whenBlocked?: 'lookup' } = {}) {
  const clock = manualClock()
  const lookups: { hash: string; end: (identity: Customer | null) => void; fail: (error: Error) => void }[] = []
  const keys = apiKeys<Customer>({
    lookup: (hash) => new Promise((end, fail) => lookups.push({ hash, end, fail })),
    address: (request) => request.ip ?? null,
    clock,
    ...options,
  })
  /** The status of the answer: 200 for an identity. */
  const check = async (key: string, ip: string | undefined = '192.0.2.1') => {
    const { refusal } = await keys.check({ ip, headers: { 'x-api-key': key } })
    return refusal?.status ?? 200
  }
  const end = async (index: number, identity: Customer | null) => {
    lookups[index]?.end(identity)
    await settle()
  }
  const pass = (ms: number) => {
    clock.advance(ms)
    vi.advanceTimersByTime(ms)
  }
  return { clock, lookups, keys, check, end, pass }
}

// Promises and setImmediate go on.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const settle = (): Promise<void> => new Promise(setImmediate)

/** A status, or the error of a check that fails. */
const outcome = (check: Promise<number>): Promise<unknown> => check.catch((error: unknown) => error)

const acme = { id: 'acme' }

describe('checks at once', () => {
  test('wait while look-ups in flight have all tokens, and go on in turn as tokens are given back', async () => {
    const { lookups, check, end } = held()
    const checks = Array.from({ length: 13 }, (_, index) => check(`key_${index}`))
    expect(lookups).toHaveLength(10)
    await end(3, acme)
    expect(lookups.map(({ hash }) => hash).slice(10)).toEqual([hashKey('key_10')])
    await end(4, null)
    expect(lookups).toHaveLength(11)
    for (const index of [0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12]) await end(index, acme)
    expect(await Promise.all(checks)).toEqual(Array.from({ length: 13 }, (_, index) => (index === 4 ? 401 : 200)))
  })

  test('a fleet of 1,000 valid keys that starts at once behind one address is let through', async () => {
    const { lookups, check, end } = held()
    const checks = Array.from({ length: 1_000 }, (_, index) => check(`key_${index}`))
    for (let index = 0; index < lookups.length; index++) await end(index, acme)
    expect(new Set(await Promise.all(checks))).toEqual(new Set([200]))
    expect(lookups).toHaveLength(1_000)
  })

  test('are refused once all tokens are spent', async () => {
    const { lookups, check, end } = held()
    const checks = Array.from({ length: 30 }, (_, index) => check(`guess_${index}`))
    for (let index = 0; index < 10; index++) await end(index, null)
    expect(await Promise.all(checks)).toEqual([...Array(10).fill(401), ...Array(20).fill(429)])
    expect(lookups).toHaveLength(10)
  })

  test('of one key share a look-up while they wait, too, and from several addresses', async () => {
    const { lookups, check, end } = held()
    const guesses = Array.from({ length: 10 }, (_, index) => check(`guess_${index}`))
    const waiting = Array.from({ length: 50 }, () => check('key'))
    await end(0, acme)
    const elsewhere = [check('key', '192.0.2.2'), check('key', '192.0.2.3')]
    expect(lookups).toHaveLength(11)
    await end(10, acme)
    expect(await Promise.all([...waiting, ...elsewhere])).toEqual(Array(52).fill(200))
    for (let index = 1; index < 10; index++) await end(index, null)
    await Promise.all(guesses)
    expect(lookups).toHaveLength(11)
  })

  test('of one address do not wait for another address', async () => {
    const { lookups, check, end } = held()
    for (let index = 0; index < 11; index++) void check(`guess_${index}`)
    const other = check('key', '192.0.2.2')
    await end(10, acme)
    expect([await other, lookups.length]).toEqual([200, 11])
  })

  test('with no address to count under are all looked up', () => {
    const { lookups, keys } = held()
    for (let index = 0; index < 30; index++) void keys.check({ headers: { 'x-api-key': `guess_${index}` } })
    expect(lookups).toHaveLength(30)
  })

  test('a look-up that fails gives its token back, and fails the checks that share it', async () => {
    const { lookups, check, clock } = held()
    for (let round = 0; round < 30; round++) {
      const checks = [check('key'), check('key')]
      lookups[round]?.fail(new Error('no database'))
      for (const failed of checks) await expect(failed).rejects.toThrow('no database')
    }
    expect([lookups.length, clock()]).toEqual([30, 0])
  })

  test('a look-up that throws in its turn fails its own check, not the one before', async () => {
    let end = (_identity: Customer | null): void => {}
    const known = apiKeys<Customer>({
      lookup: (hash) => {
        if (hash === hashKey('key_2')) throw new Error('no database')
        return new Promise((resolve) => (end = resolve))
      },
      address: () => '192.0.2.1',
      failures: [perHour(1)],
      clock: manualClock(),
    })
    const checks = ['key_1', 'key_2', 'key_3'].map((key) => known.check({ headers: { 'x-api-key': key } }))
    end(acme)
    const first = await Promise.allSettled(checks.slice(0, 2))
    end(acme)
    expect([...first, await checks[2]]).toMatchObject([
      { value: { identity: acme } },
      { reason: { message: 'no database' } },
      { identity: acme },
    ])
  })

  test('a look-up that never ends fails after 10 seconds, for all that share it, and gives its token back', async () => {
    const { lookups, check, end, pass } = held({ failures: [perHour(1)] })
    const checks = ['lost', 'lost'].map((key) => outcome(check(key)))
    pass(1)
    const waiting = check('waiting')
    pass(9_998)
    const later = outcome(check('lost'))
    expect(lookups).toHaveLength(1)
    pass(1)
    const late = {
      code: 'RAIL_LOOKUP_LATE',
      message: 'lookup(): expected a result within 10 s, got none. Give it a shorter time limit of its own.',
    }
    expect(await Promise.all([...checks, later])).toMatchObject([late, late, late])
    // The one that waited has its turn.
    expect(lookups.map(({ hash }) => hash)).toEqual([hashKey('lost'), hashKey('waiting')])
    await end(1, acme)
    expect(await waiting).toBe(200)
    // The lost one ends after all, and counts for nothing.
    await end(0, acme)
    const again = check('lost')
    expect(lookups).toHaveLength(3)
    await end(2, null)
    expect(await again).toBe(401)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('wait for 10 seconds at most, however many look-ups end meanwhile', async () => {
    const { lookups, check, end, pass } = held({ failures: [perHour(10)] })
    for (let index = 0; index < 10; index++) void outcome(check(`slow_${index}`))
    const waiting = [check('key_1'), check('key_1'), check('key_2')]
    for (let index = 0; index < 9; index++) {
      pass(1_000)
      await end(index, null)
    }
    pass(999)
    const later = check('key_3')
    pass(1)
    expect(await Promise.all(waiting)).toEqual([429, 429, 429])
    // It came late. The look-up that never ended has given its token back.
    await settle()
    expect(lookups.map(({ hash }) => hash).slice(10)).toEqual([hashKey('key_3')])
    await end(10, acme)
    expect(await later).toBe(200)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('that wait are looked up after 10 seconds where guesses may cause any number of look-ups', async () => {
    const { lookups, check, end, pass } = held({ failures: [perHour(1)], whenBlocked: 'lookup' })
    void outcome(check('slow'))
    const waiting = check('key')
    pass(9_999)
    expect(lookups).toHaveLength(1)
    pass(1)
    expect(lookups).toHaveLength(2)
    await end(1, acme)
    expect(await waiting).toBe(200)
  })
})

describe('a key that was found', () => {
  test('and is revoked is looked up once more while its address is blocked, and not again', async () => {
    const { lookups, check, end } = held()
    const first = check('key')
    await end(0, acme)
    expect(await first).toBe(200)
    for (let index = 1; index <= 10; index++) {
      const guess = check(`guess_${index}`)
      await end(index, null)
      expect(await guess).toBe(401)
    }
    const revoked = check('key')
    await end(11, null)
    expect([await revoked, await check('key'), lookups.length]).toEqual([429, 429, 12])
  })

  test('is forgotten when 40,000 others were found since', async () => {
    const known = apiKeys<Customer>({
      lookup: (hash) => (guesses.has(hash) ? null : acme),
      address: () => '192.0.2.1',
      clock: manualClock(),
    })
    const guesses = new Set(Array.from({ length: 10 }, (_, index) => hashKey(`guess_${index}`)))
    const statusOf = (key: string) => {
      const checked = known.check({ headers: { 'x-api-key': key } }) as { refusal?: { status: number } }
      return checked.refusal?.status ?? 200
    }
    for (let index = 0; index <= 40_000; index++) expect(statusOf(`key_${index}`)).toBe(200)
    for (let index = 0; index < 10; index++) expect(statusOf(`guess_${index}`)).toBe(401)
    expect([statusOf('key_0'), statusOf('key_1'), statusOf('key_40000')]).toEqual([429, 200, 200])
  })
})
