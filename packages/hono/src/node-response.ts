import type { HeadWriter } from '@rail/core'
import type { Context } from 'hono'

/** What `@hono/node-server` gives an application as its environment. */
interface NodeEnvironment {
  readonly incoming: { readonly url?: string | undefined; readonly method?: string | undefined }
  readonly outgoing: HeadWriter & { readonly req?: unknown }
}

/**
 * Node's own response to a request, where Hono runs on Node: the one place that everything answered comes through, whoever
 * answers. `undefined` elsewhere, and for a request that a handler has made itself and hands to another application with
 * the environment of its own: the answer to that one may never be sent.
 */
export function nodeResponseOf(c: Context): HeadWriter | undefined {
  const { incoming, outgoing } = (c.env ?? {}) as Partial<NodeEnvironment>
  if (incoming === undefined || outgoing?.req !== incoming) return undefined
  const { url } = c.req
  const { url: path = '', method } = incoming
  const isSame =
    method === c.req.method && url.endsWith(path) && url.indexOf('/', AFTER_SCHEME) === url.length - path.length
  return isSame ? outgoing : undefined
}

/** Where the host begins at the latest. */
const AFTER_SCHEME = 'https://'.length
