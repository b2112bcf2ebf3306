import type { RequestListener } from 'node:http'
import { writeStream } from '@rail/conformance'
import type { AppUnderTest, Limited } from '@rail/conformance/scenarios'
import type createExpress from 'express'
import type { ErrorRequestHandler, NextFunction, Request, Response, Router } from 'express'
import { preflights, type RateLimit, rateLimit } from '../src/index.js'

/** The app under test, with Express 5 or 4. */
export const appOf = (express: typeof createExpress): AppUnderTest<Request, Response, RateLimit, RequestListener> => ({
  rateLimit,
  preflights,
  rail: (req) => req.rail,
  header: (req, name) => req.get(name),
  forget: (req) => {
    if (req.res !== undefined) req.res.locals = {}
  },
  setFields: (res, fields) => res.set(fields),
  isAnswered: (res) => res.headersSent,
  answer: (res, { status, headers, body }) => res.status(status).set(headers).send(body),
  redirect: (res, to) => res.redirect(to),
  stream: writeStream,
  raw: (res, { status, headers, body }) => res.writeHead(status, headers).end(body),
  build({ front, nested, missing, failed, ...outer }) {
    const app = express()
    app.use((_req: Request, res: Response, next: NextFunction) => front(res, next))
    mount(app, outer).use('/nested', mount(express.Router(), nested))
    if (missing !== undefined) app.use(...missing.before(), missing.handle)
    if (failed !== undefined) app.use(((error, _req, res, _next) => failed(error, res)) satisfies ErrorRequestHandler)
    return app
  },
})

function mount(to: Router, { limiters, behind, routes }: Limited<Request, Response, RateLimit>): Router {
  to.use(...limiters, (_req: Request, _res: Response, next: NextFunction) => next(behind()))
  for (const { method, path, before, handle } of routes) to[method](path, ...before(), handle)
  return to
}
