import {
  addFields,
  createLimiter,
  type Field,
  type Limiter,
  type LimiterOptions,
  mergeFields,
  type Outcome,
  type RequestReader,
  type RouteOptions,
} from '@rail/core'
import type { Context, Env, MiddlewareHandler, Next } from 'hono'
import type { BlankEnv } from 'hono/types'
import { nodeResponseOf } from './node-response.js'
import { untilAnswered } from './unanswered.js'

export {
  addressKey,
  type Charge,
  type Clock,
  createPlanBook,
  type Decision,
  type Limit,
  type LimitSource,
  type LimitStatus,
  limit,
  type MaybePromise,
  MemoryStore,
  manualClock,
  type Outcome,
  type PlanBook,
  type PlanDocument,
  perDay,
  perHour,
  perMinute,
  perSecond,
  RailError,
  type Refusal,
  type RejectReply,
  type RouteOptions,
  type Store,
  share,
} from '@rail/core'

declare module 'hono' {
  interface ContextVariableMap {
    /** What the latest limiter said about this request: its decision, and `settle(actualCost)`. */
    rail: Outcome
  }
}

/** What {@link rateLimit} takes; its functions are given Hono's context. `identify` and `limits` (or `charges`) are required. */
export type RateLimitOptions<E extends Env = BlankEnv> = LimiterOptions<Context<E>>

/** A Hono middleware, and two things more. */
export interface RateLimit<E extends Env = BlankEnv> extends MiddlewareHandler<E> {
  /**
   * The same limiter and store for a costlier or tighter route. A request that was counted before pays the difference.
   *
   * @throws RailError for wrong options
   */
  with(route: RouteOptions<Context<E>>): RateLimit<E>
  /** What this limiter last said about a request, however many ran; `undefined` if it has not seen it. */
  of(c: object): Outcome | undefined
}

/**
 * Limits requests to a Hono 4 application, on Node and on edge runtimes: nothing happens at import or construction. One
 * limiter counts a request once, however often it is mounted; what goes wrong in `identify`, `limits` or `cost` reaches
 * `app.onError`.
 *
 * @example
 * app.use(rateLimit({ identify: (c) => c.var.customer.id, limits: [perSecond(10), perMinute(300)] }))
 *
 * @throws RailError for wrong options
 */
export function rateLimit<E extends Env = BlankEnv>(options: RateLimitOptions<E>): RateLimit<E> {
  return middlewareOf(createLimiter(options, reader), {})
}

function middlewareOf<E extends Env>(limiter: Limiter<Context<E>>, owner: object): RateLimit<E> {
  const middleware: MiddlewareHandler<E> = async function rateLimitMiddleware(c, next) {
    const taken = limiter.take(c)
    const outcome = 'then' in taken ? await taken : taken
    const nodeResponse = nodeResponseOf(c)
    if (nodeResponse === undefined) announce(c, outcome.headers)
    else addFields(nodeResponse, owner, outcome.headers)
    c.set('rail', outcome)
    if (outcome.refusal !== undefined) {
      const { status, type, body } = outcome.refusal
      return c.body(body, status, { 'Content-Type': type })
    }
    if (nodeResponse === undefined) await confirmed(c, next, limiter)
    else await next()
    return undefined
  }
  return Object.assign(middleware, {
    with: (route: RouteOptions<Context<E>>) => middlewareOf(limiter.with(route), owner),
    of: (c: object) => limiter.of(c as Context<E>),
  })
}

const reader: RequestReader<Context> = {
  method: (c) => c.req.method,
  header: (c, name) => c.req.header(name),
}

/** Sets fields before the handler runs: what it returns through the context has them, and so has an outer one's timeout. */
function announce(c: Context, fields: readonly Field[]): void {
  // To read what is there makes a response. A limiter's first lists need not know: they are appended to it.
  if (c.get('rail') === undefined && fields.every(({ merge }) => merge === 'list')) {
    for (const { name, value } of fields) c.header(name, value, { append: true })
  } else {
    // Not c.res, which would make this the context's response, to be copied by what is answered instead.
    const { headers } = c.finalized ? c.res : c.newResponse(null)
    for (const { name, value } of mergeFields(readerOf(headers), fields)) c.header(name, value)
  }
}

/** Goes on, and sees to it that what is answered has the fields, whoever answers. */
async function confirmed<E extends Env>(c: Context<E>, next: Next, limiter: Limiter<Context<E>>): Promise<void> {
  // A route of this limiter's may have asked again by then.
  const confirmLatest = (): void => confirm(c, limiter.of(c)?.headers ?? [])
  const answered = untilAnswered(c, confirmLatest)
  await next()
  answered()
  confirmLatest()
}

/** Sets fields once the handler has answered, perhaps with a response of its own, which knows nothing of the context's. */
function confirm(c: Context, fields: readonly Field[]): void {
  const { headers } = c.res
  // Usually they are there, and nothing else.
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
