import { expect, test } from 'vitest'
import { attack } from '../pipelined.js'

test('10,000 wrong keys over one connection: 10 look-ups, and 6 seconds of debt', async () => {
  expect(await attack(10_000, 'refuse')).toEqual({
    statuses: { 401: 10, 429: 9_990 },
    lookups: 10,
    foundBefore: [200, null],
    newKey: [429, '6'],
    later: 200,
  })
})

test("10,000 wrong keys over one connection and whenBlocked: 'lookup': each is looked up, and no valid key is refused", async () => {
  expect(await attack(10_000, 'lookup')).toEqual({
    statuses: { 401: 10, 429: 9_990 },
    lookups: 10_000,
    foundBefore: [200, null],
    newKey: [200, null],
    later: 200,
  })
})
