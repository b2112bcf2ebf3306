import type { IncomingMessage } from 'node:http'
import {
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type Outcome,
  type Preflights,
  type RouteOptions,
} from '@rail/core'
import { addFields, type Framework, faultOfCall, hasHttp2Body, preflightsBy, unexpected } from '@rail/core/adapter'
import type { NextFunction, Request, Response } from 'express'
import { functionsFor } from './functions-for.js'

// The one list of what users need from core, so that one install and one import line are enough.
// biome-ignore lint/performance/noReExportAll: to list the names here again would be a second list.
export * from '@rail/core'

declare global {
  // biome-ignore lint/style/noNamespace: Express's types are made to be extended so.
  namespace Express {
    interface Request {
      /** The latest limiter's outcome for this request: its decision, and `settle(actualCost)`. */
      rail?: Outcome | undefined
    }
  }
}

/** The options of {@link rateLimit}; `identify` and `limits` (or `charges`) are required. */
export type RateLimitOptions = LimiterOptions<Request>

/** An Express middleware with `with` and `of`. It leaves the types of `req.params`, bodies and `res.locals` alone. */
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
  /** This limiter's latest outcome for a request, however many limiters ran; `undefined` if it has not counted it. */
  of(req: IncomingMessage): Outcome | undefined
}

/**
 * Limits requests to an Express 5 or 4 application. One limiter counts a request once, however often it is mounted.
 * Errors in `identify`, `limits` or `cost` reach `next(error)`.
 *
 * @example
 * app.use(rateLimit({ identify: (req) => req.customer.id, limits: [perSecond(10), perMinute(300)] }))
 *
 * @throws RailError for wrong options
 */
export function rateLimit(options: RateLimitOptions): RateLimit {
  return middlewareOf(createLimiter(options, FRAMEWORK))
}

function middlewareOf(limiter: Limiter<Request>): RateLimit {
  function rateLimitMiddleware(req: Request, res: Response, next: NextFunction): void {
    const fault = faultOfCall(req, next)
    if (fault !== undefined) {
      if (typeof next !== 'function') throw fault
      next(fault)
      return
    }
    /** Whether the request goes on. */
    const answered = (outcome: Outcome): boolean => {
      req.rail = outcome
      addFields(res, outcome)
      if (outcome.refusal === undefined) return true
      // A timeout in front of the limiter may have answered in the meantime.
      if (!res.headersSent) {
        const { status, type, body } = outcome.refusal
        if (typeof res.end !== 'function') throw unexpected('RAIL_BAD_RESPONSE', 'response', 'an object with end', res)
        // Not res.send(), which would add a charset and an ETag.
        res.statusCode = status
        res.setHeader('Content-Type', type)
        res.end(req.method === 'HEAD' ? undefined : body)
      }
      return false
    }
    let goesOn: boolean
    try {
      const outcome = limiter.take(req)
      if ('then' in outcome) {
        // What next() throws is not an error of this middleware, and next() is not called twice.
        outcome.then(answered).then((passes) => passes && next(), next)
        return
      }
      goesOn = answered(outcome)
    } catch (error) {
      next(error)
      return
    }
    if (goesOn) next()
  }
  limiters.set(rateLimitMiddleware, limiter)
  return Object.assign(rateLimitMiddleware as RateLimit, {
    with: (route: RouteOptions<Request>) => middlewareOf(limiter.with(route)),
    of: (req: IncomingMessage) => limiter.of(req as Request),
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
export const preflights: Preflights<Request> = /* @__PURE__ */ preflightsBy((req) => ({
  method: req.method,
  url: req.url,
  header: (name) => req.headers[name],
  hasBody: hasHttp2Body(req),
}))

/** The limiter of each middleware. */
const limiters = new WeakMap<object, Limiter<Request>>()

const STATE = Symbol('rail')

/** Express makes it for each response; a test's mock may have none. */
interface Locals {
  [STATE]?: unknown
}

const FRAMEWORK: Framework<Request> = {
  bag: {
    get: (req) => localsOf(req)?.[STATE],
    set(req, value) {
      const locals = localsOf(req)
      if (locals === undefined) return false
      locals[STATE] = value
      return true
    },
    response: (req) => req.res,
  },
  ahead: (req) => functionsFor(req).map((middleware) => limiters.get(middleware)),
  announce({ res }, outcome) {
    if (res !== undefined) addFields(res, outcome)
    return {
      isAnswered: () => res?.headersSent === true,
      end: () => res?.end(),
    }
  },
}

function localsOf({ res }: Request): Locals | undefined {
  const locals: unknown = res?.locals
  return typeof locals === 'object' && locals !== null ? locals : undefined
}
