import { describe, inject, test } from 'vitest'
import { CLIENTS } from '../support/clients.js'
import { outage } from '../support/outage.js'

// A longer one is in long-outage.test.ts.
describe.skipIf(inject('redisPort') === 0).concurrent('3 seconds without Redis at 500 takes a second', () => {
  test.each(CLIENTS.slice(-1))(
    'with $name: none waits, and nothing grows',
    async ({ name }) => {
      await outage(name, 'stands still', 3)
    },
    60_000,
  )
})
