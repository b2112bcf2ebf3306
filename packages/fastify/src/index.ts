import {
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type Outcome,
  type Preflights,
  RailError,
  type RouteOptions,
} from '@rail/core'
import {
  addFields,
  checkOption,
  type Framework,
  faultOfCall,
  hasHttp2Body,
  preflightsBy,
  suggestionFor,
  unexpected,
} from '@rail/core/adapter'
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
import { checkRoutesOf } from './checked-routes.js'
import { isEqual } from './equal-options.js'
import { hooksOfRoute, keepHooks } from './route-hooks.js'
import { routeLimiters } from './route-limiters.js'

// The one list of what users need from core, so that one install and one import line are enough.
// biome-ignore lint/performance/noReExportAll: to list the names here again would be a second list.
export * from '@rail/core'

declare module 'fastify' {
  interface FastifyRequest {
    /** The latest limiter's outcome for this request: its decision, and `settle(actualCost)`; `undefined` where none ran. */
    rail: Outcome | undefined
  }
  interface FastifyContextConfig {
    /** `false`: this route is not limited. An object: it is costlier or tighter. Its limits are counted under its URL pattern. */
    rail?: RailConfig
  }
}

/**
 * What `config.rail` of a route may be. The name is not one of Fastify's: inside `declare module 'fastify'` a name means
 * Fastify's own type first, and plugins add names there, as `@fastify/websocket` adds `RouteOptions`.
 */
type RailConfig = false | RouteOptions<FastifyRequest> | undefined

/** The options of {@link rateLimit}; `identify` and `limits` (or `charges`) are required. */
export type RateLimitOptions = LimiterOptions<FastifyRequest> & {
  /** When a request is counted: first of all, or after authentication hooks and the parsing of the body. @default 'onRequest' */
  readonly hook?: 'onRequest' | 'preHandler' | undefined
}

/** A Fastify plugin for one limiter, with `with` and `of`. */
export interface RateLimit extends FastifyPluginCallback {
  /**
   * A hook for a costlier or tighter route, on the same limiter and store: `{ onRequest: limiter.with({ cost: 10 }) }`, or
   * `config: { rail: { cost: 10 } }`. A request that was counted before pays the difference.
   *
   * @throws RailError for wrong options
   */
  with(route: RouteOptions<FastifyRequest>): Hook
  /** This limiter's latest outcome for a request, however many limiters ran; `undefined` if it has not counted it. */
  of(request: object): Outcome | undefined
}

/** A Fastify hook: `onRequest`, `preHandler`, of an app on any server, HTTP/2's too. */
export type Hook = <Route extends RouteGenericInterface, Server extends RawServerBase>(
  request: FastifyRequest<Route, Server>,
  reply: FastifyReply<Route, Server>,
  done: HookHandlerDoneFunction,
) => void

/**
 * Limits requests to a Fastify 5 application: a plugin for `register`. Called with the options alone it returns a plugin
 * that has `with` and `of` too. It limits all routes of the context that it is registered in and of its children, also those
 * declared before it, and 404s. Registered with the same options object in several contexts, or with equal options in a
 * context and one inside, it is one limiter, which counts a request once. Errors in `identify`, `limits` or `cost` go to the error handler.
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
    // An error that a plugin throws ends the process; one that it passes to done rejects register().
    done(error as Error)
  }
  return undefined
}

/** The plugins of an application, by the server that all of its contexts share. */
const registered = new WeakMap<object, Registered[]>()

interface Registered {
  readonly app: FastifyInstance
  readonly options: RateLimitOptions
  readonly plugin: RateLimit
}

/** The application's one plugin for these options, whichever context comes first: a child may come before its parent. */
function pluginFor(app: FastifyInstance, options: RateLimitOptions): RateLimit {
  const known = registered.get(app.server) ?? []
  registered.set(app.server, known)
  const same = known.find(
    (other) =>
      other.options === options ||
      // A request of the one inside reaches both.
      ((isWithin(app, other.app) || isWithin(other.app, app)) && isEqual(other.options, options)),
  )
  const plugin = same?.plugin ?? pluginOf(options)
  known.push({ app, options, plugin })
  return plugin
}

/** Whether a context is this one, or inside it: Fastify makes a context from the one around it. */
function isWithin(app: FastifyInstance, outer: FastifyInstance): boolean {
  return app === outer || Object.prototype.isPrototypeOf.call(outer, app)
}

function pluginOf(options: RateLimitOptions): RateLimit {
  const limiter = createLimiter<FastifyRequest>(options, FRAMEWORK)
  const { hook = 'onRequest' } = options
  const hint = suggestionFor(String(hook), HOOKS).trim() || undefined
  checkOption('hook', hook, "'onRequest' or 'preHandler'", (value) => HOOKS.includes(value), hint)
  const limiterOf = routeLimiters(limiter)

  const plugin: FastifyPluginCallback = (given, more, done) => {
    const app = checkedApp(given)
    const [ignored] = Object.keys(more)
    if (ignored !== undefined) {
      const message = `${ignored}: not an option of register(), because the plugin has its options already. Pass it to rateLimit().`
      done(new RailError('RAIL_UNKNOWN_OPTION', message))
      return
    }
    for (const name of ['rail', STATE]) if (!app.hasRequestDecorator(name)) app.decorateRequest(name)
    // A wrong option of a route that is declared from here on is an error where it stands; of any other, when the app starts.
    app.addHook('onRoute', (route) => {
      limiterOf(route.config?.rail, route.url)
      keepHooks(route, limiters)
    })
    checkRoutesOf(app, limiterOf)
    const countRequest: UsualHook = (request, reply, next) => {
      const { config, url = '' } = request.routeOptions
      if (config.rail === false) next()
      else count(limiterOf(config.rail, url), request, reply, next)
    }
    if (hook === 'onRequest') app.addHook('onRequest', countRequest)
    else app.addHook('preHandler', countRequest)
    done()
  }
  return Object.assign(fastifyPlugin(plugin, META), {
    with: (route: RouteOptions<FastifyRequest>): Hook => {
      const ofRoute = limiter.with(route)
      const hook: UsualHook = (request, reply, done) => count(ofRoute, request, reply, done)
      limiters.set(hook, ofRoute)
      // A request over HTTP/2 has another type; the limiter's functions get the usual one.
      return hook as Hook
    },
    of: limiter.of,
  })
}

/** {@link Hook}, of an app on Fastify's default server. */
type UsualHook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

/** A plugin that is added as a hook gets a request in place of an application. */
function checkedApp(app: unknown): FastifyInstance {
  if (typeof (app as Partial<FastifyInstance> | undefined)?.addHook === 'function') return app as FastifyInstance
  const toDo =
    'Write await app.register(rateLimit, options). For a hook call with() on the value of rateLimit(options).'
  throw unexpected('RAIL_BAD_OPTION', 'rateLimit', 'to be registered as a plugin', app, toDo)
}

function count(
  limiter: Limiter<FastifyRequest>,
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const fault = faultOfCall(request, done)
  if (fault !== undefined) throw fault
  const outcome = limiter.take(request)
  // What done() throws is no error of this hook, and done() is not called twice.
  if ('then' in outcome) {
    outcome.then((found) => answered(found, request, reply)).then((passes) => passes && done(), done)
  } else if (answered(outcome, request, reply)) done()
}

/** Carries out an outcome. Returns whether the request goes on. */
function answered(outcome: Outcome, request: FastifyRequest, reply: FastifyReply): boolean {
  request.rail = outcome
  // On the response itself, which hijack() and writes to reply.raw reach too.
  addFields(reply.raw, outcome)
  if (outcome.refusal === undefined) return true
  if (!reply.sent) {
    const { status, type, body } = outcome.refusal
    if (typeof reply.send !== 'function') throw unexpected('RAIL_BAD_RESPONSE', 'reply', 'a reply of Fastify', reply)
    // With a serializer, because Fastify adds a charset to a string without one, and a response schema may empty an object.
    reply.code(status).type(type).serializer(asIs).send(body)
  }
  return false
}

function asIs(body: unknown): string {
  return body as string
}

const HOOKS: readonly unknown[] & readonly string[] = ['onRequest', 'preHandler']

/** The limiter of each hook that `with` has made. */
const limiters = new WeakMap<object, object>()

const STATE = Symbol('rail')

const FRAMEWORK: Framework<FastifyRequest> = {
  bag: {
    get: (request) => (request as Stateful)[STATE],
    set(request, value) {
      ;(request as Stateful)[STATE] = value
      return true
    },
  },
  ahead: hooksOfRoute,
  ownOptions: ['hook'],
}

interface Stateful {
  [STATE]?: unknown
}

const META = { name: '@rail/fastify', fastify: '5.x' }

// So its hooks belong to the context that registers it, not to one of its own.
fastifyPlugin(rateLimit as FastifyPluginCallback<RateLimitOptions>, META)

// biome-ignore lint/style/noDefaultExport: Fastify takes it from register(import('@rail/fastify')).
export default rateLimit

/**
 * Whether a request is a CORS preflight, for the option `skip`: OPTIONS with `Origin` and `Access-Control-Request-Method`,
 * without a body, `Authorization`, `Cookie` and `X-API-Key`. Only for APIs where OPTIONS reaches no handler. Where credentials
 * are elsewhere, name them: `preflights({ headers: ['X-Token'], query: ['key'] })`.
 *
 * @example
 * await app.register(rateLimit, { identify, limits, skip: preflights })
 */
export const preflights: Preflights<FastifyRequest> = /* @__PURE__ */ preflightsBy((request) => ({
  method: request.method,
  url: request.url,
  header: (name) => request.headers[name],
  hasBody: hasHttp2Body(request.raw),
}))
