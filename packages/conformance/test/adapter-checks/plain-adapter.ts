import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createLimiter, type Limiter, type LimiterOptions, type Outcome, type RouteOptions } from '@rail/core'
import { addFields, type Bag, preflightsBy } from '@rail/core/adapter'
import { listen, listenerFor, type RunningApp, writeStream } from '../../src/index.js'
import type { Answer, AppUnderTest, Setup } from '../../src/scenarios.js'

/** A request of Node's own, and what limiters left on it. */
export interface Req extends IncomingMessage {
  rail?: Outcome
  res?: ServerResponse
  locals?: { state?: unknown }
}

type Next = (error?: unknown) => void
type Middleware = (req: Req, res: ServerResponse, next: Next) => void

/** The places where an adapter can be broken. A place that is left out works. */
export interface Fault {
  /** The limiter's options. */
  readonly options?: (options: LimiterOptions<Req>) => LimiterOptions<Req>
  /** The limiter as the adapter uses it. */
  readonly limiter?: (limiter: Limiter<Req>, options: LimiterOptions<Req>) => Limiter<Req>
  /** The limiter's outcome, before the adapter uses it. */
  readonly outcome?: (outcome: Outcome, req: Req, res: ServerResponse, options: LimiterOptions<Req>) => Outcome
  /** Adds headers to the response. */
  readonly addFields?: (res: ServerResponse, outcome: Outcome) => void
  /** Where the limiter keeps what it knows of a request. */
  readonly bag?: Bag<Req>
  /** Whether a refusal announces the waits of the routes ahead. @default true */
  readonly ahead?: boolean
  /** How a refusal is sent. */
  readonly refuse?: (res: ServerResponse, outcome: Outcome, req: Req, next: Next) => void
  /** Handles an error of the limiter's. */
  readonly failed?: (error: unknown, next: Next) => void
  /** Whether limiters see only requests that some route takes. @default false */
  readonly routesOnly?: boolean
  /** The middleware in place of a limiter that cannot be made. @default the error is thrown on */
  readonly unmade?: Middleware
}

const header = (req: Req, name: string): string | undefined => req.headers[name]?.toString()

/** Sends a refusal, unless somebody has answered. */
export function send(res: ServerResponse, { refusal }: Outcome): void {
  if (res.headersSent || refusal === undefined) return
  res.statusCode = refusal.status
  res.setHeader('Content-Type', refusal.type)
  res.end(refusal.body)
}

/** The adapter: over Node alone, with this fault. */
function middlewareOf(limiter: Limiter<Req>, options: LimiterOptions<Req>, fault: Fault): Middleware {
  const {
    outcome: changed = (given) => given,
    addFields: add,
    refuse = send,
    failed = (error, next) => next(error),
  } = fault
  const middleware: Middleware = (req, res, next) => {
    req.res = res
    const answer = (given: Outcome): void => {
      const outcome = changed(given, req, res, options)
      req.rail = outcome
      if (add === undefined) addFields(res, outcome)
      else add(res, outcome)
      if (outcome.refusal === undefined) next()
      else refuse(res, outcome, req, next)
    }
    try {
      const outcome = limiter.take(req)
      if ('then' in outcome) outcome.then(answer).then(undefined, (error) => failed(error, next))
      else answer(outcome)
    } catch (error) {
      failed(error, next)
    }
  }
  limiters.set(middleware, limiter)
  return middleware
}

/** The framework's place for what belongs to a request. */
export const bag = {
  get: (req) => req.locals?.state,
  set(req, state) {
    req.locals = { state }
    return true
  },
  response: (req) => req.res,
} satisfies Bag<Req>

/** The functions of a request's route, and the limiters of those that are limiters' middlewares. */
const ahead = new WeakMap<Req, readonly Middleware[]>()
const limiters = new WeakMap<Middleware, Limiter<Req>>()

/** Starts an app over Node alone, whose framework drops all headers where something throws, as Koa does. */
export function startPlain(fault: Fault = {}): Promise<RunningApp> {
  return listen(listenerFor(appOf(fault)))
}

function appOf(fault: Fault): AppUnderTest<Req, ServerResponse, Made, RequestListener> {
  return {
    rateLimit: (options) => limiterOf(fault.options?.(options) ?? options, fault),
    rail: (req) => req.rail,
    header,
    forget(req) {
      req.locals = {}
    },
    preflights: preflightsBy((req) => ({
      method: req.method as string,
      url: req.url as string,
      header: (name) => header(req, name),
    })),
    setFields,
    isAnswered: (res) => res.headersSent,
    answer,
    redirect: (res, to) => answer(res, { status: 302, headers: { Location: to }, body: undefined }),
    stream: writeStream,
    raw: (res, { status, headers, body }) => res.writeHead(status, headers).end(body),
    build: (setup) => listenerOf(setup, fault),
  }
}

function listenerOf(
  { limiters, behind, front, routes, nested, missing, failed }: Setup<Req, ServerResponse, Made>,
  fault: Fault,
): RequestListener {
  const pass: Middleware = (_req, _res, next) => {
    behind()
    next()
  }
  const mounted = [...limiters.map(({ middleware }) => middleware), pass]
  const table = new Map<string, Middleware[]>()
  for (const { method, path, before, handle } of routes) table.set(routeName(method, path), [...before(), handle])
  for (const { method, path, before, handle } of nested.routes) {
    const inner = nested.limiters.map(({ middleware }) => middleware)
    table.set(routeName(method, `/nested${path}`), [...inner, ...before(), handle])
  }
  const notFound: Middleware[] =
    missing === undefined
      ? [(_req, res) => answer(res, { status: 404, headers: {}, body: '' })]
      : [...missing.before(), missing.handle]
  const onError = failed ?? ((_error, res) => answer(res, { status: 500, headers: {}, body: 'failed' }))
  return (req, res) => {
    const found = table.get(routeName(req.method as string, req.url as string))
    ahead.set(req, found ?? [])
    const applied = found === undefined && fault.routesOnly === true ? [] : mounted
    const failing = (error: unknown): void => {
      if (!res.headersSent) for (const name of res.getHeaderNames()) res.removeHeader(name)
      onError(error, res)
    }
    front(res, () => run([...applied, ...(found ?? notFound)], req, res, failing))
  }
}

interface Made {
  readonly middleware: Middleware
  with(route: RouteOptions<Req>): Middleware
  of(req: Req): Outcome | undefined
}

function limiterOf(options: LimiterOptions<Req>, fault: Fault): Made {
  const { unmade } = fault
  try {
    const limitersAhead = (req: Req) =>
      fault.ahead === false ? [] : (ahead.get(req) ?? []).map((it) => limiters.get(it))
    const made = createLimiter(options, { ahead: limitersAhead, bag: fault.bag ?? bag })
    const limiter = fault.limiter?.(made, options) ?? made
    return {
      middleware: middlewareOf(limiter, options, fault),
      of: limiter.of,
      with: (route) => {
        try {
          return middlewareOf(limiter.with(route), options, fault)
        } catch (error) {
          if (unmade === undefined) throw error
          return unmade
        }
      },
    }
  } catch (error) {
    if (unmade === undefined) throw error
    return { middleware: unmade, with: () => unmade, of: () => undefined }
  }
}

function run(chain: readonly Middleware[], req: Req, res: ServerResponse, failed: (error: unknown) => void): void {
  const [first, ...rest] = chain
  const next: Next = (error) => {
    // As Express has it.
    const isNone = error === undefined || error === 'route' || error === 'router'
    if (isNone) run(rest, req, res, failed)
    else failed(error)
  }
  try {
    first?.(req, res, next)
  } catch (error) {
    next(error)
  }
}

/** One name for all the ways in which a path is written: the suite has to cope with such frameworks. */
function routeName(method: string, url: string): string {
  const path = decodeURIComponent(url.split(/[?;]/)[0] as string)
    .toLowerCase()
    .replace(/\/+/g, '/')
    .replace(/(.)\/$/, '$1')
  return `${method === 'HEAD' ? 'get' : method.toLowerCase()} ${path}`
}

function answer(res: ServerResponse, { status, headers, body }: Answer): void {
  if (res.headersSent) return
  res.statusCode = status
  setFields(res, headers)
  res.end(body)
}

function setFields(res: ServerResponse, fields: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(fields)) res.setHeader(name, value)
}
