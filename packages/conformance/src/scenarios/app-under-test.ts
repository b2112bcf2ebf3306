import type { LimiterOptions, MaybePromise, Outcome, Preflights, RouteOptions } from '@rail/core'
import type { Answer, ChunkedReply } from './reply.js'

/**
 * A framework with its adapter, for the suite. `Response` is the framework's response or context, `App` receives requests,
 * and a handler returns `Done`.
 */
export interface AppUnderTest<Request, Response, Limiter extends MadeLimiter<Request>, App, Done = void> {
  /** The adapter. */
  rateLimit(options: LimiterOptions<Request>): Limiter
  /** The adapter's `preflights`, for the option `skip`. */
  readonly preflights: Preflights<Request>
  /** The outcome that the adapter put on a request: `req.rail`, `c.var.rail`, … */
  rail(request: Request): Outcome | undefined
  /** A header of a request, by its lower-case name. */
  header(request: Request, name: string): string | undefined
  /**
   * Replaces the object in which the framework keeps values of a request (`res.locals`, `ctx.state`) by an empty one.
   * @default it cannot be replaced
   */
  forget?(request: Request): void
  /** Sets headers on the response before it is answered, as a middleware does. */
  setFields(response: Response, headers: Readonly<Record<string, string>>): void
  /** Whether the request has been answered. */
  isAnswered(response: Response): boolean
  /** Answers by the framework's usual means. */
  answer(response: Response, answer: Answer): Done
  /** The framework's redirect. */
  redirect(response: Response, to: string): Done
  /** Answers 200, and sends the chunks. */
  stream(response: Response, stream: ChunkedReply): Done
  /** Answers past the framework: by Node's `writeHead` with a header object, by a `Response` of one's own. */
  raw(response: Response, answer: Answer): Done
  /** Makes the app of one scenario. */
  build(setup: Setup<Request, Response, Limiter, Done>): MaybePromise<App>
}

/** The methods of what an adapter's `rateLimit` returns, which is a middleware too. */
export interface MadeLimiter<Request> {
  with(route: RouteOptions<Request>): unknown
  of(request: Request): Outcome | undefined
}

/** Routes, and the limiters in front of every one of them. */
export interface Limited<Request, Response, Limiter extends MadeLimiter<Request>, Done = void> {
  /** To be mounted one after the other; a limiter may be listed twice. */
  readonly limiters: readonly Limiter[]
  /** To be called for each request right behind them, where an app parses bodies. */
  readonly behind: () => void
  readonly routes: readonly Route<Request, Response, Limiter, Done>[]
}

/** A route of the app under test. */
export interface Route<Request, Response, Limiter extends MadeLimiter<Request>, Done = void> {
  readonly method: 'get' | 'post'
  readonly path: string
  /** Makes the middleware of this route alone: `.with` of the first limiter, or nothing. */
  readonly before: () => readonly ReturnType<Limiter['with']>[]
  /** The options of `.with`, for a framework whose routes have them in another place: Fastify's in their config. */
  readonly with: RouteOptions<Request> | undefined
  /** The handler: answers, throws, or never answers. */
  readonly handle: (request: Request, response: Response) => Done | Promise<never>
}

/** The parts of a scenario's app. */
export interface Setup<Request, Response, Limiter extends MadeLimiter<Request>, Done = void>
  extends Limited<Request, Response, Limiter, Done> {
  /** A router (a plugin, a sub-app) of its own under `/nested`, on which the first limiter is mounted once more. */
  readonly nested: Limited<Request, Response, Limiter, Done>
  /**
   * The middleware in front of all others: sets headers and calls `next`. In a few scenarios it answers at once, as a timeout
   * does, where the others have not.
   *
   * @returns what `next` returned, or its own answer
   */
  readonly front: <Next>(response: Response, next: () => Next) => Next | Done
  /** The app's own handler for paths that are not found, and what is in front of it; `undefined`: the framework's own stays. */
  readonly missing: Pick<Route<Request, Response, Limiter, Done>, 'before' | 'handle'> | undefined
  /** The app's own error handler; `undefined`: the framework's own stays. */
  readonly failed: ((error: unknown, response: Response) => Done) | undefined
}
