import { type Limit, manualClock, perHour } from '@rail/core'
import { describe, expect, test } from 'vitest'
import { apiKeys, hashKey } from '../src/index.js'
import type { Customer } from './frameworks.js'

/** Checks whose look-ups end when the test says so. */
function held(options: { failures?: readonly Limit[] } = {}) {
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
    await new Promise(setImmediate)
  }
  return { clock, lookups, keys, check, end }
}

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

  test('a look-up that never ends is shared and waited for no longer than 10 seconds', async () => {
    const { clock, lookups, check, end } = held()
    for (let index = 0; index < 10; index++) void check(`lost_${index}`)
    const waiting = check('key_waiting')
    void check('lost_0')
    expect(lookups).toHaveLength(10)
    clock.advance(10_000)
    // One token is there again.
    const again = check('lost_0')
    expect(lookups).toHaveLength(11)
    await end(0, null)
    const sameAgain = check('lost_0')
    expect(lookups).toHaveLength(11)
    await end(10, acme)
    expect([await again, await sameAgain]).toEqual([200, 200])
    await end(11, acme)
    expect(await waiting).toBe(200)
    // What was lost ends after all, and counts for nothing that came since.
    for (let index = 1; index < 10; index++) await end(index, null)
    void check('key_next')
    expect(lookups).toHaveLength(13)
  })

  test('wait behind look-ups that end now and then, however long', async () => {
    const { clock, lookups, check, end } = held({ failures: [perHour(10)] })
    for (let index = 0; index < 10; index++) void check(`slow_${index}`)
    for (let index = 0; index < 9; index++) {
      clock.advance(9_000)
      await end(index, null)
    }
    clock.advance(9_000)
    const waiting = check('key')
    await end(9, acme)
    await end(10, acme)
    expect([await waiting, lookups.length]).toEqual([200, 11])
  })

  test('that wait behind look-ups that never end are refused after 10 seconds, when the next one comes', async () => {
    const { clock, check } = held({ failures: [perHour(10)] })
    for (let index = 0; index < 10; index++) void check(`lost_${index}`)
    const waiting = [check('key_1'), check('key_2')]
    clock.advance(10_000)
    void check('lost_10')
    expect(await Promise.all([...waiting, check('key_3')])).toEqual([429, 429, 429])
  })
})

describe('after look-ups that never ended', () => {
  test('checks wait for those in flight only, also when one of the lost ends', async () => {
    const { clock, lookups, check, end } = held({ failures: [perHour(10)] })
    for (let index = 0; index < 10; index++) void check(`lost_${index}`)
    clock.advance(10_000)
    expect(await check('key_1')).toBe(429)
    clock.advance(350_000)
    const first = check('key_1')
    await end(0, null)
    const second = check('key_2')
    expect(lookups).toHaveLength(11)
    await end(1, null)
    await end(10, acme)
    await end(11, acme)
    expect([await first, await second, lookups.length]).toEqual([200, 200, 12])
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
