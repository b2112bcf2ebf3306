import type { LimiterOptions, MaybePromise, Outcome, RouteOptions } from '@rail/core'
import type { Answer, ChunkedReply } from './reply.js'

/**
 * A framework with its adapter, as the suite needs to know it. `Response` is what the framework answers by (its response,
 * its context), `App` what requests can be given to, `Done` what a handler has to return.
 */
export interface AppUnderTest<Request, Response, Limiter extends MadeLimiter<Request>, App, Done = void> {
  /** The adapter. */
  rateLimit(options: LimiterOptions<Request>): Limiter
  /** The adapter's `preflights`, for the option `skip`. */
  readonly preflights: (request: Request) => boolean
  /** What the adapter put on a request: `req.rail`, `c.var.rail`, … */
  rail(request: Request): Outcome | undefined
  /** A header field of a request, by its lower-case name. */
  header(request: Request, name: string): string | undefined
  /** Sets fields on the response before it is answered, as a middleware does. */
  setFields(response: Response, fields: Readonly<Record<string, string>>): void
  /** Whether somebody has answered. */
  isAnswered(response: Response): boolean
  /** Answers by the framework's usual means. */
  answer(response: Response, answer: Answer): Done
  /** The framework's redirect. */
  redirect(response: Response, to: string): Done
  /** Answers 200, and sends what comes in chunks. */
  stream(response: Response, stream: ChunkedReply): Done
  /** Answers past the framework: by Node's `writeHead` with a header object, by a `Response` of one's own. */
  raw(response: Response, answer: Answer): Done
  /** Makes the app of one scenario. */
  build(setup: Setup<Request, Response, Limiter, Done>): MaybePromise<App>
}

/** What an adapter's `rateLimit` gives, beside being a middleware. */
export interface MadeLimiter<Request> {
  with(route: RouteOptions<Request>): unknown
  of(request: Request): Outcome | undefined
}

/** Routes, and what is in front of every one of them. */
export interface Limited<Request, Response, Limiter extends MadeLimiter<Request>, Done = void> {
  /** To be mounted one after the other; one may be there twice. */
  readonly limiters: readonly Limiter[]
  readonly routes: readonly Route<Request, Response, Limiter, Done>[]
}

/** A route of the app under test. */
export interface Route<Request, Response, Limiter extends MadeLimiter<Request>, Done = void> {
  readonly method: 'get' | 'post'
  readonly path: string
  /** Makes what is in front of this route alone: by `.with` of the first limiter, or nothing. */
  readonly before: () => readonly ReturnType<Limiter['with']>[]
  /** What `.with` is given, for a framework whose routes say it otherwise: Fastify's in their config. */
  readonly with: RouteOptions<Request> | undefined
  /** The handler: answers, throws, or never answers. */
  readonly handle: (request: Request, response: Response) => Done | Promise<never>
}

/** What the app of one scenario is made of. */
export interface Setup<Request, Response, Limiter extends MadeLimiter<Request>, Done = void>
  extends Limited<Request, Response, Limiter, Done> {
  /** A router (a plugin, a sub-app) of its own under `/nested`, on which the first limiter is mounted once more. */
  readonly nested: Limited<Request, Response, Limiter, Done>
  /**
   * The middleware in front of everything: sets fields, goes on, and in a few scenarios answers at once, as a timeout does,
   * where what it wraps has not.
   *
   * @returns what `next` did, or what it answers
   */
  readonly front: <Next>(response: Response, next: () => Next) => Next | Done
  /** The app's own error handler; `undefined`: the framework's own stays. */
  readonly failed: ((error: unknown, response: Response) => Done) | undefined
}
