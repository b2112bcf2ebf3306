import Fastify, { type RouteOptions } from 'fastify'
import { VERSION } from '../base/version.js'
import type { SyncDesk } from '../sync/sync-desk.js'
import { authorize } from './authorize.js'
import { decompressBodies } from './decompress.js'
import { answerBrokenRequest, answerErrors, problemFor, sendProblem } from './errors.js'
import { type OpenApi, openApiFor } from './openapi.js'
import type { App, RouteContext, ZodTypes } from './route-context.js'
import { csvRoutes } from './routes/csv-routes.js'
import { customerRoutes } from './routes/customer-routes.js'
import { metaRoutes } from './routes/meta-routes.js'
import { overrideRoutes } from './routes/override-routes.js'
import { planRoutes } from './routes/plan-routes.js'
import { recordRoutes } from './routes/record-routes.js'
import { serverRoutes } from './routes/server-routes.js'
import { settingRoutes } from './routes/setting-routes.js'
import { syncRoute } from './routes/sync-route.js'
import { tokenRoutes } from './routes/token-routes.js'
import { serializerCompiler, validatorCompiler } from './zod-compilers.js'

/** What the app needs beside what its routes need. */
export interface AppOptions extends RouteContext {
  readonly desk: SyncDesk
  /** Told of what fails and is nobody's fault but ours, or the disk's. */
  readonly onError: (error: unknown) => void
}

/** Enough for a plan with hundreds of limits; reports and CSV files have caps of their own. */
const LARGEST_BODY = 1024 * 1024

/** The HTTP API: admin and sync. It has no log: what goes wrong is told to `onError`, and no header ever is. */
export function createApp({ desk, onError, ...context }: AppOptions): App {
  const app: App = Fastify({
    bodyLimit: LARGEST_BODY,
    // A customer's id is part of the path, and may be 1,024 characters of which each takes up to twelve.
    routerOptions: { maxParamLength: 16_384 },
    forceCloseConnections: 'idle',
    frameworkErrors: (error, _request, reply) => sendProblem(reply, problemFor(error)),
    clientErrorHandler: answerBrokenRequest,
  }).withTypeProvider<ZodTypes>()
  const routes: RouteOptions[] = []
  let openApi: OpenApi | undefined
  app.addHook('onRoute', (route) => {
    if (route.config?.scope === undefined) throw new Error(`${route.url} does not say what a token needs there.`)
    routes.push(route)
  })
  app.removeContentTypeParser('text/plain')
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  answerErrors(app, onError)
  authorize(app, context)
  decompressBodies(app)

  planRoutes(app, context)
  customerRoutes(app, context)
  overrideRoutes(app, context)
  csvRoutes(app, context)
  settingRoutes(app, context)
  serverRoutes(app, context)
  recordRoutes(app, context)
  tokenRoutes(app, context)
  syncRoute(app, desk)
  metaRoutes(app, context, () => (openApi ??= openApiFor(routes, VERSION)))
  return app
}
