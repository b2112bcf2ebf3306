import {
  addFields,
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type Outcome,
  type RequestReader,
  type RouteOptions,
} from '@rail/core'
import type { Middleware, Next, ParameterizedContext } from 'koa'

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

/** Nothing known of the state or the context: a wrong field does not compile. */
type Nothing = Record<never, never>

/** What {@link rateLimit} takes; its functions are given Koa's context. `identify` and `limits` (or `charges`) are required. */
export type RateLimitOptions<StateT = Nothing, ContextT = Nothing> = LimiterOptions<
  ParameterizedContext<StateT, ContextT>
>

/** A Koa middleware, and two things more. The latest outcome for a request is at `ctx.state.rail`. */
export interface RateLimit<StateT = Nothing, ContextT = Nothing>
  extends Middleware<StateT & { rail: Outcome }, ContextT> {
  /**
   * The same limiter and store for a costlier or tighter route. A request that was counted before pays the difference.
   *
   * @throws RailError for wrong options
   */
  with(route: RouteOptions<ParameterizedContext<StateT, ContextT>>): RateLimit<StateT, ContextT>
  /** What this limiter last said about a request, however many ran; `undefined` if it has not seen it. */
  of(ctx: object): Outcome | undefined
}

/**
 * Limits requests to a Koa 3 or 2 application. One limiter counts a request once, however often it is mounted; what goes
 * wrong in `identify`, `limits` or `cost` is thrown, to Koa's error handling.
 *
 * @example
 * app.use(rateLimit({ identify: (ctx) => ctx.state.customer.id, limits: [perSecond(10), perMinute(300)] }))
 *
 * @throws RailError for wrong options
 */
export function rateLimit<StateT = Nothing, ContextT = Nothing>(
  options: RateLimitOptions<StateT, ContextT>,
): RateLimit<StateT, ContextT> {
  return middlewareOf(createLimiter(options, reader), {})
}

function middlewareOf<StateT, ContextT>(
  limiter: Limiter<ParameterizedContext<StateT, ContextT>>,
  owner: object,
): RateLimit<StateT, ContextT> {
  type Context = ParameterizedContext<StateT & { rail: Outcome }, ContextT>

  function rateLimitMiddleware(ctx: Context, next: Next): Promise<unknown> | undefined {
    const answer = (outcome: Outcome): Promise<unknown> | undefined => {
      ctx.state.rail = outcome
      addFields(ctx.res, owner, outcome.headers)
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
  return Object.assign(rateLimitMiddleware, {
    with: (route: RouteOptions<ParameterizedContext<StateT, ContextT>>) => middlewareOf(limiter.with(route), owner),
    of: (ctx: object) => limiter.of(ctx as ParameterizedContext<StateT, ContextT>),
  })
}

const reader: RequestReader<ParameterizedContext> = {
  method: (ctx) => ctx.method,
  header: (ctx, name) => ctx.headers[name]?.toString(),
}
