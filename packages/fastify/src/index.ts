import {
  addFields,
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type Outcome,
  RailError,
  type RequestReader,
  type RouteOptions,
  shown,
  suggestionFor,
} from '@rail/core'
import type {
  FastifyInstance,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
  RawServerBase,
  RouteGenericInterface,
} from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { routeLimiters } from './route-limiters.js'

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

declare module 'fastify' {
  interface FastifyRequest {
    /** What the latest limiter said about this request: its decision, and `settle(actualCost)`. */
    rail: Outcome
  }
  interface FastifyContextConfig {
    /** `false`: this route is not limited. An object: it is costlier or tighter; its limits are counted under its URL pattern. */
    rail?: false | RouteOptions<FastifyRequest> | undefined
  }
}

/** What {@link rateLimit} takes; `identify` and `limits` (or `charges`) are required. */
export type RateLimitOptions = LimiterOptions<FastifyRequest> & {
  /** When a request is counted: as early as can be, or after authentication in hooks and parsing of the body. @default 'onRequest' */
  readonly hook?: 'onRequest' | 'preHandler' | undefined
}

/** A Fastify plugin for one limiter, and two things more. */
export interface RateLimit extends FastifyPluginCallback {
  /**
   * A hook for a costlier or tighter route, on the same limiter and store: `{ onRequest: limiter.with({ cost: 10 }) }`. The
   * same can be said as `config: { rail: { cost: 10 } }`. A request that was counted before pays the difference.
   *
   * @throws RailError for wrong options
   */
  with(route: RouteOptions<FastifyRequest>): Hook
  /** What this limiter last said about a request, however many ran; `undefined` if it has not seen it. */
  of(request: object): Outcome | undefined
}

/** A Fastify hook: `onRequest`, `preHandler`, of an app on any server, HTTP/2's too. */
export type Hook = <Route extends RouteGenericInterface, Server extends RawServerBase>(
  request: FastifyRequest<Route, Server>,
  reply: FastifyReply<Route, Server>,
  done: HookHandlerDoneFunction,
) => void

/**
 * Limits requests to a Fastify 5 application: a plugin, for `register` with its options, or, called with the options
 * alone, a maker of one that also has `with` and `of`. It limits all routes of the context that it is registered in and
 * of its children, also those declared before it and answers of 404. Registered with the same options object in several
 * contexts it is one limiter, which counts a request once. What goes wrong in `identify`, `limits` or `cost` goes to the
 * error handler.
 *
 * @example
 * await app.register(rateLimit, { identify: (request) => request.customer.id, limits: [perSecond(10), perMinute(300)] })
 *
 * @throws RailError for wrong options
 */
export function rateLimit(options: RateLimitOptions): RateLimit
export function rateLimit(app: FastifyInstance, options: RateLimitOptions, done: (error?: Error) => void): void
export function rateLimit(
  appOrOptions: FastifyInstance | RateLimitOptions,
  options?: RateLimitOptions,
  done?: (error?: Error) => void,
): RateLimit | undefined {
  if (options === undefined || done === undefined) return pluginOf(appOrOptions as RateLimitOptions)
  const app = checkedApp(appOrOptions)
  try {
    pluginFor(app, options)(app, {}, done)
  } catch (error) {
    // What a plugin throws ends the process; what it hands to done rejects register().
    done(error as Error)
  }
  return undefined
}

/** The plugins of an application, by the server that all of its contexts have in common. */
const registered = new WeakMap<object, WeakMap<RateLimitOptions, RateLimit>>()

/** The application's one plugin for these options, whichever context comes first: a child may come before its parent. */
function pluginFor({ server }: FastifyInstance, options: RateLimitOptions): RateLimit {
  const known = registered.get(server) ?? new WeakMap<RateLimitOptions, RateLimit>()
  registered.set(server, known)
  const plugin = known.get(options) ?? pluginOf(options)
  known.set(options, plugin)
  return plugin
}

function pluginOf(options: RateLimitOptions): RateLimit {
  const limiter = createLimiter<FastifyRequest>(options, reader)
  const { hook = 'onRequest' } = options
  checkHook(hook)
  const limiterOf = routeLimiters(limiter)
  const owner = {}

  const plugin: FastifyPluginCallback = (given, more, done) => {
    const app = checkedApp(given)
    const [ignored] = Object.keys(more)
    if (ignored !== undefined) {
      done(
        new RailError(
          'RAIL_UNKNOWN_OPTION',
          `What rateLimit(options) returns has its options, and register() takes no more of them, got "${ignored}". Give it to rateLimit().`,
        ),
      )
      return
    }
    if (!app.hasRequestDecorator('rail')) app.decorateRequest('rail')
    // Routes declared from here on: wrong options are errors at start. Those declared before are looked at when they are asked.
    app.addHook('onRoute', ({ config, url }) => {
      limiterOf(config?.rail, url)
    })
    const ask: UsualHook = (request, reply, next) => {
      const { config, url = '' } = request.routeOptions
      if (config.rail === false) next()
      else count(limiterOf(config.rail, url), owner, request, reply, next)
    }
    if (hook === 'onRequest') app.addHook('onRequest', ask)
    else app.addHook('preHandler', ask)
    done()
  }
  return Object.assign(fastifyPlugin(plugin, META), {
    with: (route: RouteOptions<FastifyRequest>): Hook => {
      const ofRoute = limiter.with(route)
      const hook: UsualHook = (request, reply, done) => count(ofRoute, owner, request, reply, done)
      // To the types a request over HTTP/2 is another; whoever gives functions to the limiter is told of the usual one.
      return hook as Hook
    },
    of: limiter.of,
  })
}

/** {@link Hook}, of an app on the server that Fastify takes when it is told of none. */
type UsualHook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

function checkHook(hook: unknown): void {
  const hooks = ['onRequest', 'preHandler']
  if (hooks.includes(hook as string)) return
  const hint = suggestionFor(String(hook), hooks)
  throw new RailError(
    'RAIL_BAD_OPTION',
    `The option hook is 'onRequest' or 'preHandler', got ${shown(hook)}.${hint} Give one, or leave it out.`,
  )
}

/** A plugin that is added as a hook is called with a request in place of an application. */
function checkedApp(app: unknown): FastifyInstance {
  if (typeof (app as Partial<FastifyInstance> | undefined)?.addHook === 'function') return app as FastifyInstance
  throw new RailError(
    'RAIL_BAD_OPTION',
    'rateLimit is a plugin, not a hook: await app.register(rateLimit, options). For a hook call with() on what rateLimit(options) returns.',
  )
}

function count(
  limiter: Limiter<FastifyRequest>,
  owner: object,
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const outcome = limiter.take(request)
  if ('then' in outcome) outcome.then((found) => answer(found, owner, request, reply, done), done)
  else answer(outcome, owner, request, reply, done)
}

function answer(
  outcome: Outcome,
  owner: object,
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  request.rail = outcome
  // On the response itself, where hijack() and writes to reply.raw end too.
  addFields(reply.raw, owner, outcome.headers)
  if (outcome.refusal === undefined) done()
  else if (!reply.sent) {
    const { status, type, body } = outcome.refusal
    // A serializer, because to text without one Fastify adds a charset, and a response schema may empty an object.
    reply.code(status).type(type).serializer(asIs).send(body)
  }
}

function asIs(body: unknown): string {
  return body as string
}

const META = { name: '@rail/fastify', fastify: '5.x' }

// So its hooks belong to the context that registers it, not to one of its own.
fastifyPlugin(rateLimit as FastifyPluginCallback<RateLimitOptions>, META)

// biome-ignore lint/style/noDefaultExport: Fastify takes it from register(import('@rail/fastify')).
export default rateLimit

const reader: RequestReader<FastifyRequest> = {
  method: (request) => request.method,
  header: (request, name) => request.headers[name]?.toString(),
  ownOptions: ['hook'],
}
