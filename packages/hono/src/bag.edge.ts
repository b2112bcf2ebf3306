import type { Bag } from '@rail/core/adapter'
import type { Context } from 'hono'

const VARIABLE = Symbol('rail') as unknown as string

/** Stands in for `bag.ts` in the edge build: there is no Node. */
export const bag: Bag<Context> = {
  get: (c) => c.get?.(VARIABLE),
  set(c, value) {
    // A test's mock may have none.
    c.set?.(VARIABLE, value)
    return true
  },
}
