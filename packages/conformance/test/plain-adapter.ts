import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  addFields,
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type Outcome,
  type RequestReader,
} from '@rail/core'
import { listen, type RunningApp } from '../src/index.js'
import { createStage, type Reply, type Route, type Setup } from '../src/scenarios.js'

/** A request of Node's own, and what limiters left on it. */
export interface Req extends IncomingMessage {
  rail?: Outcome
}

type Next = (error?: unknown) => void
type Middleware = (req: Req, res: ServerResponse, next: Next) => void

/** The places where an adapter can be broken, one at a time. What is not there is as it should be. */
export interface Fault {
  /** What the limiter is made of. */
  readonly options?: (options: LimiterOptions<Req>) => LimiterOptions<Req>
  /** The limiter as the adapter uses it. */
  readonly limiter?: (limiter: Limiter<Req>, options: LimiterOptions<Req>) => Limiter<Req>
  /** What the limiter said, before the adapter acts on it. */
  readonly outcome?: (outcome: Outcome, req: Req, res: ServerResponse, options: LimiterOptions<Req>) => Outcome
  /** How fields get on the response. */
  readonly addFields?: (res: ServerResponse, owner: object, outcome: Outcome) => void
  /** How a refusal is sent. */
  readonly refuse?: (res: ServerResponse, outcome: Outcome, req: Req, next: Next) => void
  /** What becomes of an error of the limiter's. */
  readonly failed?: (error: unknown, next: Next) => void
  /** Whether limiters see only requests that some route takes. @default false */
  readonly routesOnly?: boolean
  /** What making a limiter that cannot be made gives. @default the error is thrown on */
  readonly unmade?: Middleware
}

const reader: RequestReader<Req> = {
  method: (req) => req.method as string,
  header: (req, name) => req.headers[name]?.toString(),
}

/** Sends a refusal, unless somebody has answered. */
export function send(res: ServerResponse, { refusal }: Outcome): void {
  if (res.headersSent || refusal === undefined) return
  res.statusCode = refusal.status
  res.setHeader('Content-Type', refusal.type)
  res.end(refusal.body)
}

/** The adapter: over Node alone, and broken as told. */
function middlewareOf(limiter: Limiter<Req>, options: LimiterOptions<Req>, owner: object, fault: Fault): Middleware {
  const {
    outcome: changed = (said) => said,
    addFields: add,
    refuse = send,
    failed = (error, next) => next(error),
  } = fault
  return (req, res, next) => {
    const answer = (said: Outcome): void => {
      const outcome = changed(said, req, res, options)
      req.rail = outcome
      if (add === undefined) addFields(res, owner, outcome.headers)
      else add(res, owner, outcome)
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
}

/** Starts an app over Node alone, whose framework drops all headers where something throws, as Koa does. */
export function startPlain(fault: Fault = {}): Promise<RunningApp> {
  const stage = createStage<Req, (req: Req, res: ServerResponse) => void>(reader.header, (setup) => appOf(setup, fault))
  return listen(async (req, res) => {
    const { app, text } = await stage.enter(req.url as string, req.headers['x-scenario'] as string)
    if (app === undefined) res.end(text)
    else app(req, res)
  })
}

function appOf(setup: Setup<Req>, fault: Fault): (req: Req, res: ServerResponse) => void {
  const { mounts, upstream, routes, nested, failed, timeout } = setup
  const limiters = setup.limiters.map((options) => limiterOf(fault.options?.(options) ?? options, fault))
  const first = limiters[0] as (typeof limiters)[number]
  const table = new Map<string, Middleware[]>()
  for (const [route, prefix] of [
    ...routes.map((r) => [r, ''] as const),
    ...nested.map((r) => [r, '/nested'] as const),
  ]) {
    const handler: Middleware = (req, res) =>
      play(
        route.handle(
          req.rail,
          limiters.map(({ of }) => of(req)),
        ),
        res,
      )
    const own = route.with === undefined ? [] : [first.with(route.with)]
    table.set(routeName(route.method, prefix + route.path), [
      ...(prefix === '' ? [] : [first.middleware]),
      ...own,
      handler,
    ])
  }
  return (req, res) => {
    const found = table.get(routeName(req.method as string, req.url as string))
    const known = mounts.map((index) => (limiters[index] as typeof first).middleware)
    const chain = [
      ...(found === undefined && fault.routesOnly === true ? [] : known),
      ...(found ?? [
        (_req: Req, response: ServerResponse) => play({ does: 'answer', status: 404, headers: {}, body: '' }, response),
      ]),
    ]
    for (const [name, value] of Object.entries(upstream)) res.setHeader(name, value)
    run(chain, req, res, (error) => {
      const reply = failed?.(error) ?? { does: 'answer', status: 500, headers: {}, body: 'failed' }
      if (res.headersSent) return
      for (const name of res.getHeaderNames()) res.removeHeader(name)
      play(reply, res)
    })
    if (timeout !== undefined && !res.headersSent) play(timeout, res)
  }
}

interface Made {
  readonly middleware: Middleware
  with(route: NonNullable<Route<Req>['with']>): Middleware
  of(req: Req): Outcome | undefined
}

function limiterOf(options: LimiterOptions<Req>, fault: Fault): Made {
  const { unmade } = fault
  const owner = {}
  try {
    const made = createLimiter(options, reader)
    const limiter = fault.limiter?.(made, options) ?? made
    return {
      middleware: middlewareOf(limiter, options, owner, fault),
      of: limiter.of,
      with: (route) => {
        try {
          return middlewareOf(limiter.with(route), options, owner, fault)
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
  return `${method === 'HEAD' ? 'GET' : method} ${path}`
}

function play(reply: Reply, res: ServerResponse): void {
  switch (reply.does) {
    case 'answer':
      res.statusCode = reply.status
      for (const [name, value] of Object.entries(reply.headers)) res.setHeader(name, value)
      res.end(reply.body)
      break
    case 'redirect':
      res.statusCode = 302
      res.setHeader('Location', reply.to)
      res.end()
      break
    case 'stream':
      for (const chunk of reply.chunks) res.write(chunk)
      if (!reply.open) res.end()
      break
    case 'raw':
      res.writeHead(reply.status, reply.headers).end(reply.body)
      break
    case 'throw':
      throw reply.value
    case 'hang':
  }
}
