import type { RunningApp } from '@rail/conformance'
import { listen } from '@rail/conformance'
import { createStage, type Reply, type Route, type Setup } from '@rail/conformance/scenarios'
import type { Store } from '@rail/core'
import type createExpress from 'express'
import type { ErrorRequestHandler, Express, NextFunction, Request, RequestHandler, Response } from 'express'
import { rateLimit } from '../src/index.js'

/** The app under test, with Express 5 or 4. */
export function start(express: typeof createExpress, makeStore?: () => Store): Promise<RunningApp> {
  const stage = createStage<Request, Express>(
    (req, name) => req.get(name),
    (setup) => appOf(express, setup),
    makeStore,
  )
  return listen(async (req, res) => {
    const { app, text } = await stage.enter(req.url as string, req.headers['x-scenario'] as string)
    if (app === undefined) res.end(text)
    else app(req, res)
  })
}

function appOf(
  express: typeof createExpress,
  { limiters, mounts, upstream, routes, nested, failed, timeout }: Setup<Request>,
): Express {
  const app = express()
  const made = limiters.map((options) => rateLimit(options))
  const first = made[0] as (typeof made)[number]
  const chain = (route: Route<Request>): RequestHandler[] => [
    ...(route.with === undefined ? [] : [first.with(route.with)]),
    (req, res) =>
      play(
        route.handle(
          req.rail,
          made.map((limiter) => limiter.of(req)),
        ),
        res,
      ),
  ]
  if (timeout !== undefined) {
    app.use((_req: Request, res: Response, next: NextFunction) => {
      next()
      if (!res.headersSent) play(timeout, res)
    })
  }
  app.use((_req: Request, res: Response, next: NextFunction) => {
    res.set(upstream)
    next()
  })
  for (const index of mounts) app.use(made[index] as typeof first)
  for (const route of routes) app[route.method === 'GET' ? 'get' : 'post'](route.path, ...chain(route))
  const router = express.Router().use(first)
  for (const route of nested) router.get(route.path, ...chain(route))
  app.use('/nested', router)
  if (failed !== undefined) {
    const onError: ErrorRequestHandler = (error, _req, res, _next) => play(failed(error), res)
    app.use(onError)
  }
  return app
}

function play(reply: Reply, res: Response): void {
  switch (reply.does) {
    case 'answer':
      res.status(reply.status).set(reply.headers).send(reply.body)
      break
    case 'redirect':
      res.redirect(reply.to)
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
