import { describe, expect, test } from 'vitest'
import { apiKeys } from '../src/index.js'

const request = () => ({ headers: { 'x-api-key': 'any' } })
const address = () => '192.0.2.1'
/** The check of a key whose look-up returns this, at once and by a promise. */
const checks = (found: unknown) =>
  [() => found, async () => found].map(
    (lookup) => async () => apiKeys({ lookup: lookup as never, address }).check(request()),
  )

describe('a look-up', () => {
  test.each([
    ['rows', [{ id: 'acme' }]],
    ['no rows', []],
    ['a result with rows', { rows: [], rowCount: 0, command: 'SELECT' }],
    ['a result with data', { data: null, error: null }],
    ['a response', new Response('null')],
    ['an object without anything', {}],
    ['an object with an id of nothing', { id: null }],
    ['an object with an empty id', { id: '' }],
    ['an object with an id of NaN', { id: Number.NaN }],
    ['an object with an id of 0', { id: 0 }],
    ['an empty string', ''],
    ['0', 0],
    ['NaN', Number.NaN],
    ['1', 1],
    ['true', true],
    ['false', false],
    ['undefined', undefined],
    ['a function', () => ({ id: 'acme' })],
    ['a symbol', Symbol('acme')],
  ])('that returns %s allows no key: it is an error', async (_name, found) => {
    for (const check of checks(found)) {
      await expect(check()).rejects.toThrow(
        expect.objectContaining({
          code: 'RAIL_BAD_IDENTITY',
          message: expect.stringMatching(
            /^lookup\(\): expected one identity, or null, got .*\. Return \{ id: '…' \} or a string/,
          ),
        }),
      )
    }
  })

  test.each([
    ['an object with an id', { id: 'acme' }],
    ['a row of a database with a numeric id', { id: 7, customer_plan: 'free' }],
    ['a bigint', { id: 7n }],
    [
      'an instance whose class has the id',
      new (class {
        get id() {
          return 'acme'
        }
      })(),
    ],
    ['a string', 'acme'],
  ])('may return %s', async (_name, found) => {
    for (const check of checks(found)) expect(await check()).toEqual({ identity: found })
  })

  test('that returns null does not know the key', async () => {
    for (const check of checks(null)) expect(await check()).toMatchObject({ refusal: { status: 401 } })
  })

  test('is called once where its result is a query that runs at each then()', async () => {
    let runs = 0
    const query = {
      // biome-ignore lint/suspicious/noThenProperty: query builders have one.
      then(resolve: (row: { id: string }) => void) {
        runs++
        setImmediate(() => resolve({ id: 'acme' }))
      },
    }
    const known = apiKeys({ lookup: () => query as PromiseLike<{ id: string }>, address })
    const checked = await Promise.all([known.check(request()), known.check(request())])
    expect([checked, runs]).toEqual([[{ identity: { id: 'acme' } }, { identity: { id: 'acme' } }], 1])
  })
})
