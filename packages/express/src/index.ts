import type { IncomingMessage } from 'node:http'
import {
  addFields,
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type Outcome,
  type RequestReader,
  type RouteOptions,
} from '@rail/core'
import type { NextFunction, Request, Response } from 'express'

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

declare global {
  // biome-ignore lint/style/noNamespace: Express's types are made to be extended so.
  namespace Express {
    interface Request {
      /** What the latest limiter said about this request: its decision, and `settle(actualCost)`. */
      rail?: Outcome | undefined
    }
  }
}

/** What {@link rateLimit} takes; `identify` and `limits` (or `charges`) are required. */
export type RateLimitOptions = LimiterOptions<Request>

/** An Express middleware, and two things more. It leaves the types of `req.params`, bodies and `res.locals` alone. */
export interface RateLimit {
  <Params, ResBody, ReqBody, Query, Locals extends Record<string, unknown>>(
    req: Request<Params, ResBody, ReqBody, Query, Locals>,
    res: Response<ResBody, Locals>,
    next: NextFunction,
  ): void
  /**
   * The same limiter and store for a costlier or tighter route. A request that was counted before pays the difference.
   *
   * @throws RailError for wrong options
   */
  with(route: RouteOptions<Request>): RateLimit
  /** What this limiter last said about a request, however many ran; `undefined` if it has not seen it. */
  of(req: IncomingMessage): Outcome | undefined
}

/**
 * Limits requests to an Express 5 or 4 application. One limiter counts a request once, however often it is mounted;
 * what goes wrong in `identify`, `limits` or `cost` reaches `next(error)`.
 *
 * @example
 * app.use(rateLimit({ identify: (req) => req.customer.id, limits: [perSecond(10), perMinute(300)] }))
 *
 * @throws RailError for wrong options
 */
export function rateLimit(options: RateLimitOptions): RateLimit {
  return middlewareOf(createLimiter(options, reader), {})
}

function middlewareOf(limiter: Limiter<Request>, owner: object): RateLimit {
  function rateLimitMiddleware(req: Request, res: Response, next: NextFunction): void {
    const answer = (outcome: Outcome): void => {
      req.rail = outcome
      addFields(res, owner, outcome.headers, reader)
      if (outcome.refusal === undefined) next()
      // A timeout in front of the limiter may have answered while it waited.
      else if (!res.headersSent) {
        const { status, type, body } = outcome.refusal
        // Not res.send(), which would add a charset and an ETag.
        res.statusCode = status
        res.setHeader('Content-Type', type)
        res.end(req.method === 'HEAD' ? undefined : body)
      }
    }
    let outcome: ReturnType<typeof limiter.take>
    try {
      outcome = limiter.take(req)
    } catch (error) {
      next(error)
      return
    }
    if ('then' in outcome) outcome.then(answer, next)
    else answer(outcome)
  }
  return Object.assign(rateLimitMiddleware as RateLimit, {
    with: (route: RouteOptions<Request>) => middlewareOf(limiter.with(route), owner),
    of: (req: IncomingMessage) => limiter.of(req as Request),
  })
}

const reader: RequestReader<Request> = {
  method: (req) => req.method,
  header: (req, name) => req.get(name),
  // Express gives each request and response the prototypes of its application.
  reshaped: true,
}
