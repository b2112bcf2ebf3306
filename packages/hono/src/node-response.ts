import type { Field } from '@rail/core'
import { addFields, type HeadWriter } from '@rail/core/adapter'
import type { Context } from 'hono'

/** The environment that `@hono/node-server` gives an application. */
interface NodeEnvironment {
  readonly incoming: { readonly url?: string | undefined; readonly method?: string | undefined }
  readonly outgoing: HeadWriter & { readonly req?: unknown }
}

/**
 * Adds headers to Node's own response, where Hono runs on Node: every response is written through it, whoever makes it.
 * `false` elsewhere, and for a request that a handler has made itself and passes to another application with its own
 * environment: the response to that one may never be sent.
 */
export function addToNodeResponse(c: Context, owner: object, fields: readonly Field[]): boolean {
  const response = nodeResponseOf(c)
  if (response !== undefined) addFields(response, owner, fields)
  return response !== undefined
}

function nodeResponseOf(c: Context): HeadWriter | undefined {
  const { incoming, outgoing } = (c.env ?? {}) as Partial<NodeEnvironment>
  if (incoming === undefined || outgoing?.req !== incoming) return undefined
  const { url } = c.req
  const { url: path = '', method } = incoming
  const isSame =
    method === c.req.method && url.endsWith(path) && url.indexOf('/', AFTER_SCHEME) === url.length - path.length
  return isSame ? outgoing : undefined
}

/** A host begins here or earlier. */
const AFTER_SCHEME = 'https://'.length
