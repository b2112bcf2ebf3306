import {
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type Outcome,
  type Preflights,
  type RouteOptions,
} from '@rail/core'
import { addFields, type Framework, faultOfCall, hasHttp2Body, preflightsBy, unexpected } from '@rail/core/adapter'
import type { Middleware, Next, ParameterizedContext } from 'koa'
import { functionsFor } from './functions-for.js'

// The one list of what users need from core, so that one install and one import line are enough.
// biome-ignore lint/performance/noReExportAll: to list the names here again would be a second list.
export * from '@rail/core'

/** A state or context without known properties: a wrong property does not compile. */
type Nothing = Record<never, never>

/** The options of {@link rateLimit}, whose functions get Koa's context. `identify` and `limits` (or `charges`) are required. */
export type RateLimitOptions<StateT = Nothing, ContextT = Nothing> = LimiterOptions<
  ParameterizedContext<StateT, ContextT>
>

/** A Koa middleware with `with` and `of`. The latest outcome for a request is at `ctx.state.rail`. */
export interface RateLimit<StateT = Nothing, ContextT = Nothing>
  extends Middleware<StateT & { rail: Outcome | undefined }, ContextT> {
  /**
   * The same limiter and store for a costlier or tighter route. A request that was counted before pays the difference.
   *
   * @throws RailError for wrong options
   */
  with(route: RouteOptions<ParameterizedContext<StateT, ContextT>>): RateLimit<StateT, ContextT>
  /** This limiter's latest outcome for a request, however many limiters ran; `undefined` if it has not counted it. */
  of(ctx: object): Outcome | undefined
}

/**
 * Limits requests to a Koa 3 or 2 application. One limiter counts a request once, however often it is mounted. Errors in
 * `identify`, `limits` or `cost` are thrown, to Koa's error handling.
 *
 * @example
 * app.use(rateLimit({ identify: (ctx) => ctx.state.customer.id, limits: [perSecond(10), perMinute(300)] }))
 *
 * @throws RailError for wrong options
 */
export function rateLimit<StateT = Nothing, ContextT = Nothing>(
  options: RateLimitOptions<StateT, ContextT>,
): RateLimit<StateT, ContextT> {
  return middlewareOf(createLimiter(options, FRAMEWORK))
}

function middlewareOf<StateT, ContextT>(
  limiter: Limiter<ParameterizedContext<StateT, ContextT>>,
): RateLimit<StateT, ContextT> {
  type Context = ParameterizedContext<StateT & { rail: Outcome | undefined }, ContextT>

  function rateLimitMiddleware(ctx: Context, next: Next): Promise<unknown> | undefined {
    const fault = faultOfCall(ctx, next)
    if (fault !== undefined) throw fault
    const answer = (outcome: Outcome): Promise<unknown> | undefined => {
      addFields(ctx.res, outcome)
      if (!(ctx.state instanceof Object)) throw unexpected('RAIL_BAD_RESPONSE', 'context', 'an object with state', ctx)
      ctx.state.rail = outcome
      if (outcome.refusal === undefined) return next()
      const { status, type, body } = outcome.refusal
      ctx.status = status
      // Not ctx.type, which would add a charset; a body does not change a type that is there.
      ctx.set('Content-Type', type)
      ctx.body = body
      return undefined
    }
    const outcome = limiter.take(ctx)
    return 'then' in outcome ? Promise.resolve(outcome.then(answer)) : answer(outcome)
  }
  limiters.set(rateLimitMiddleware, limiter)
  return Object.assign(rateLimitMiddleware, {
    with: (route: RouteOptions<ParameterizedContext<StateT, ContextT>>) => middlewareOf(limiter.with(route)),
    of: (ctx: object) => limiter.of(ctx as ParameterizedContext<StateT, ContextT>),
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
export const preflights: Preflights<ParameterizedContext> = /* @__PURE__ */ preflightsBy((ctx) => ({
  method: ctx.method,
  url: ctx.url,
  header: (name) => ctx.headers[name],
  hasBody: hasHttp2Body(ctx.req),
}))

/** The limiter of each middleware. */
const limiters = new WeakMap<object, object>()

const STATE = Symbol('rail')

/** Koa makes it for each context; a test's mock may have none. */
interface State {
  [STATE]?: unknown
}

const FRAMEWORK: Framework<ParameterizedContext> = {
  bag: {
    get: (ctx) => stateOf(ctx)?.[STATE],
    set(ctx, value) {
      const state = stateOf(ctx)
      if (state === undefined) return false
      state[STATE] = value
      return true
    },
    // An application that another one calls has a context of its own for the same response.
    response: (ctx) => ctx.res,
  },
  ahead: (ctx) => functionsFor(ctx).map((middleware) => limiters.get(middleware)),
  announce(ctx, outcome) {
    addFields(ctx.res, outcome)
    // A body that onReject sets would be replaced.
    return { isAnswered: () => ctx.headerSent || ctx.body !== undefined }
  },
}

function stateOf(ctx: ParameterizedContext): State | undefined {
  const state: unknown = ctx.state
  return typeof state === 'object' && state !== null ? state : undefined
}
