import { type Charge, MemoryStore } from '@rail/core'
import { describe, expect, test } from 'vitest'
import { hostileCases } from '../../src/adapter-checks/hostile-cases.js'
import { App } from '../../src/test-adapter/app.js'
import { faultsOf } from '../../src/test-hostile-requests.js'
import { identifying, options, storing } from '../adapter-checks/adapter-mutants/mutant.js'
import { type Fault, startPlain } from '../adapter-checks/plain-adapter.js'

/** Buckets of an object: `__proto__` and its like are there from the start, and are no buckets. */
class StoreOfAnObject extends MemoryStore {
  readonly #keys: Record<string, unknown> = {}

  override take(charges: readonly Charge[], now: number) {
    const key = String(charges[0]?.key)
    const isNew = this.#keys[key] !== true
    this.#keys[key] = true
    return isNew ? super.peek(charges, now) : super.take([...charges, ...charges], now)
  }
}

const isAddress = (key: unknown): boolean => String(key).startsWith('address:')

const BROKEN: readonly (readonly [string, Fault])[] = [
  ['a customer is decoded, which fails', identifying((key) => decodeURIComponent(String(key)))],
  ['a customer is cut short', identifying((key) => String(key).slice(0, 12))],
  ['a customer is tidied up', identifying((key) => String(key).normalize('NFKC').toLowerCase())],
  [
    'an address is counted as it is written',
    identifying((key, req) => (isAddress(key) ? String(req.headers['x-address']) || 'none' : key)),
  ],
  ['a string that is not an address is not limited', identifying((key) => (key === 'address:none' ? null : key))],
  [
    'every OPTIONS request is taken for a preflight',
    options(() => ({ skip: (req: { method?: string }) => req.method === 'OPTIONS' })),
  ],
  [
    'a field of the client’s is believed',
    options(() => ({ skip: (req: { headers: object }) => 'x-ratelimit-remaining' in req.headers })),
  ],
  ['buckets are kept in an object', storing(StoreOfAnObject)],
]

describe('hostile requests: it would be seen if', () => {
  test.each(BROKEN)('%s', async (_, fault) => {
    expect(await faults(fault)).not.toEqual([])
  })

  test('nothing is wrong: then nothing is seen', async () => {
    expect(await faults({})).toEqual([])
  })
})

async function faults(fault: Fault): Promise<string[]> {
  const running = await startPlain(fault)
  const app = new App(running.url)
  try {
    return await faultsOf(app, hostileCases(2_000, 20_261_130))
  } finally {
    app.close()
    await running.stop()
  }
}
