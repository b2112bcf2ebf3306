import type { Bag } from '@rail/core/adapter'
import type { Context } from 'hono'
import { nodeEnvironmentOf } from './node-response.js'

/** Keeps what belongs to a request in the environment of Node's request, or else in the variables of its context. */
export const bag: Bag<Context> = {
  get(c) {
    const environment = nodeEnvironmentOf(c) as Stateful | undefined
    return environment === undefined ? c.get?.(VARIABLE) : environment[STATE]
  },
  set(c, value) {
    const environment = nodeEnvironmentOf(c) as Stateful | undefined
    if (environment !== undefined) environment[STATE] = value
    // A test's mock may have none.
    else if (typeof c.set === 'function') c.set(VARIABLE, value)
    else return false
    return true
  },
  response: (c) => nodeEnvironmentOf(c)?.outgoing,
}

const STATE = Symbol('rail')

/** Hono's variables may have symbols as their names, though its types do not say so. */
const VARIABLE = STATE as unknown as string

interface Stateful {
  [STATE]?: unknown
}
