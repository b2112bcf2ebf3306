import type { ApiKeys } from '@rail/keys'
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { Problem } from './problem.js'

/** Lets a request on whose key is known. Any other is answered with a problem: 401, or 429 where an address guesses. */
export function authentication(keys: ApiKeys<unknown, FastifyRequest>): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const { refusal } = await keys.check(request)
    if (refusal === undefined) return
    for (const { name, value } of refusal.headers) reply.header(name, value)
    if (refusal.status === 401) throw new Problem(401, 'unauthorized', 'Unauthorized', 'An API key is needed.')
    throw new Problem(429, 'too-many-keys', 'Too many unknown keys', 'Wait as Retry-After says, then send a known key.')
  }
}
