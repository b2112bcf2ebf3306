import {
  createLimiter,
  type Field,
  type Limiter,
  type LimiterOptions,
  type Outcome,
  type Preflights,
  type RouteOptions,
} from '@rail/core'
import { type Framework, faultOfCall, mergeFields, preflightsBy, unexpected } from '@rail/core/adapter'
import type { Context, Env, MiddlewareHandler, Next } from 'hono'
import type { BlankEnv } from 'hono/types'
import { bag } from './bag.js'
import { functionsFor } from './functions-for.js'
import { addToNodeResponse, hasBody } from './node-response.js'
import { onEveryResponse } from './responses.js'

// The one list of what users need from core, so that one install and one import line are enough.
// biome-ignore lint/performance/noReExportAll: to list the names here again would be a second list.
export * from '@rail/core'

declare module 'hono' {
  interface ContextVariableMap {
    /** The latest limiter's outcome for this request: its decision, and `settle(actualCost)`; `undefined` where none ran. */
    rail: Outcome | undefined
  }
}

/** The options of {@link rateLimit}, whose functions get Hono's context. `identify` and `limits` (or `charges`) are required. */
export type RateLimitOptions<E extends Env = BlankEnv> = LimiterOptions<Context<E>>

/**
 * A Hono middleware with `with` and `of`. On a route it adds 429, 422 and 503 to the statuses that Hono's client `hc` knows.
 * Their bodies are `unknown`, because `onReject` may make them.
 */
export interface RateLimit<E extends Env = BlankEnv> {
  (...given: Parameters<MiddlewareHandler<E>>): Promise<Refused | undefined>
  /**
   * The same limiter and store for a costlier or tighter route. A request that was counted before pays the difference.
   *
   * @throws RailError for wrong options
   */
  with(route: RouteOptions<Context<E>>): RateLimit<E>
  /** This limiter's latest outcome for a request, however many limiters ran; `undefined` if it has not counted it. */
  of(c: object): Outcome | undefined
}

/** A refusal, as Hono's client knows it. */
type Refused = Response & (Typed<429> | Typed<422> | Typed<503>)

/** Hono's `TypedResponse`, which older versions do not export, with a body of any kind. */
interface Typed<Status> {
  readonly _data: unknown
  readonly _status: Status
  readonly _format: string
}

/**
 * Limits requests to a Hono 4 application, on Node and on edge runtimes. An import or a construction starts nothing. One
 * limiter counts a request once, however often it is mounted. Errors in `identify`, `limits` or `cost` reach
 * `app.onError`.
 *
 * @example
 * app.use(rateLimit({ identify: (c) => c.var.customer.id, limits: [perSecond(10), perMinute(300)] }))
 *
 * @throws RailError for wrong options
 */
export function rateLimit<E extends Env = BlankEnv>(options: RateLimitOptions<E>): RateLimit<E> {
  return middlewareOf(createLimiter(options, FRAMEWORK))
}

function middlewareOf<E extends Env>(limiter: Limiter<Context<E>>): RateLimit<E> {
  const middleware = async function rateLimitMiddleware(c: Context<E>, next: Next): Promise<Refused | undefined> {
    const fault = faultOfCall(c, next)
    if (fault !== undefined) throw fault
    const taken = limiter.take(c)
    const outcome = 'then' in taken ? await taken : taken
    if (typeof c.set !== 'function' || typeof c.header !== 'function')
      throw unexpected('RAIL_BAD_RESPONSE', 'context', 'a context of Hono', c)
    const onNode = addToNodeResponse(c, outcome)
    // What depends on the handler's headers is set after it.
    if (!onNode)
      announce(
        c,
        outcome.headers.filter(({ unless }) => unless === undefined),
      )
    c.set('rail', outcome)
    if (outcome.refusal !== undefined) {
      const { status, type, body } = outcome.refusal
      // The response is as Hono makes it; its type is for the client.
      return c.body(body, status, { 'Content-Type': type }) as Response as Refused
    }
    if (onNode) await next()
    else await confirmed(c, next, limiter)
    return undefined
  }
  limiters.set(middleware, limiter)
  return Object.assign(middleware, {
    with: (route: RouteOptions<Context<E>>) => middlewareOf(limiter.with(route)),
    of: (c: object) => limiter.of(c as Context<E>),
  })
}

/**
 * Whether a request is a CORS preflight, for the option `skip`: OPTIONS with `Origin` and `Access-Control-Request-Method`,
 * without a body, `Authorization`, `Cookie` and `X-API-Key`. Only for APIs where OPTIONS reaches no handler. Where credentials
 * are elsewhere, name them: `preflights({ headers: ['X-Token'], query: ['key'] })`.
 *
 * @example
 * app.use(rateLimit({ identify, limits, skip: preflights }))
 */
export const preflights: Preflights<Context> = /* @__PURE__ */ preflightsBy((c) => ({
  method: c.req.method,
  url: c.req.url,
  header: (name) => c.req.header(name),
  hasBody: hasBody(c),
}))

/** Sets headers before the handler runs: a response made through the context has them, and so has an outer timeout's. */
function announce(c: Context, fields: readonly Field[]): void {
  // Reading the headers makes a response. The first limiter's lists need not know them: they are appended.
  if (c.get('rail') === undefined && fields.every(({ merge }) => merge === 'list')) {
    for (const { name, value } of fields) c.header(name, value, { append: true })
  } else {
    // Not c.res, which would become the context's response, to be copied into the one that the handler returns.
    const { headers } = c.finalized ? c.res : c.newResponse(null)
    for (const { name, value } of mergeFields(readerOf(headers), fields)) c.header(name, value)
  }
}

/** Runs the handler, and makes sure that the response has the headers, whoever makes it. */
async function confirmed<E extends Env>(c: Context<E>, next: Next, limiter: Limiter<Context<E>>): Promise<void> {
  // A route of this limiter may have counted the request again by then.
  const confirmLatest = (): void => confirm(c, limiter.of(c)?.headers ?? [])
  onEveryResponse(c, confirmLatest)
  await next()
  confirmLatest()
}

/** Sets headers once the handler has answered, perhaps with a response of its own, which lacks the context's headers. */
function confirm(c: Context, fields: readonly Field[]): void {
  const headers = (c.res as Response | undefined)?.headers
  // A test's mock may have no response.
  if (headers === undefined) return
  // Usually they are there already.
  if (fields.every(({ name, value }) => headers.get(name) === value)) return
  const read = readerOf(headers)
  for (const { name, value } of mergeFields(read, fields)) {
    if (read(name) !== value) set(c, name, value)
  }
}

function readerOf(headers: Headers): (name: string) => string | undefined {
  return (name) => headers.get(name) ?? undefined
}

function set(c: Context, name: string, value: string): void {
  try {
    c.res.headers.set(name, value)
  } catch {
    const { res } = c
    // A connection that is handed over (101) has to be this very response.
    if (res.status < 200) return
    // A response that was fetched is immutable. Assigning another would merge the old one's headers into it.
    c.res = undefined
    c.res = new Response(res.body, res)
    c.res.headers.set(name, value)
  }
}

/** The limiter of each middleware. */
const limiters = new WeakMap<object, object>()

const FRAMEWORK: Framework<Context> = {
  bag,
  ahead: (c) => functionsFor(c).map((middleware) => limiters.get(middleware)),
}
