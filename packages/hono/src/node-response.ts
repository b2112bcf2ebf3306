import type { Outcome } from '@rail/core'
import { addFields, type HeadWriter, hasHttp2Body } from '@rail/core/adapter'
import type { Context } from 'hono'

/** The environment that `@hono/node-server` gives an application: an object for each request. */
interface NodeEnvironment {
  readonly incoming: { readonly url?: string | undefined; readonly method?: string | undefined }
  readonly outgoing: HeadWriter & { readonly req?: unknown }
}

/**
 * Adds headers to Node's own response, where Hono runs on Node: every response is written through it, whoever makes it.
 * `false` elsewhere, and for a request that a handler has made itself and passes to another application with its own
 * environment: the response to that one may never be sent.
 */
export function addToNodeResponse(c: Context, outcome: Outcome): boolean {
  const response = nodeResponseOf(c)
  if (response !== undefined) addFields(response, outcome)
  return response !== undefined
}

/**
 * The environment that contexts of one request have in common, where Hono runs on Node. An application that is mounted, or
 * called by a handler with its environment, has a context of its own for the same request.
 */
export function nodeEnvironmentOf(c: Context): NodeEnvironment | undefined {
  const environment = (c.env ?? {}) as Partial<NodeEnvironment>
  const { incoming, outgoing } = environment
  return incoming !== undefined && outgoing?.req === incoming ? (environment as NodeEnvironment) : undefined
}

/** Whether a request has a body that no header announces. A web request on Node has a `body` even where it is empty. */
export function hasBody(c: Context): boolean {
  return hasHttp2Body(nodeEnvironmentOf(c)?.incoming)
}

function nodeResponseOf(c: Context): HeadWriter | undefined {
  const environment = nodeEnvironmentOf(c)
  if (environment === undefined) return undefined
  const { incoming, outgoing } = environment
  const { url } = c.req
  const { url: path = '', method } = incoming
  const isSame =
    method === c.req.method && url.endsWith(path) && url.indexOf('/', AFTER_SCHEME) === url.length - path.length
  return isSame ? outgoing : undefined
}

/** A host begins here or earlier. */
const AFTER_SCHEME = 'https://'.length
