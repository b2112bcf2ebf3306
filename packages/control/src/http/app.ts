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

/** What the app needs besides the context of its routes. */
export interface AppOptions extends RouteContext {
  readonly desk: SyncDesk
  /** Called with errors that are not the caller's fault: a full disk, a fault of ours. */
  readonly onError: (error: unknown) => void
}

/** Enough for a plan with hundreds of limits. Reports and CSV files have bounds of their own. */
const LARGEST_BODY = 1024 * 1024

/** The HTTP API: admin and sync. It has no log: errors are reported to `onError`, and headers never are. */
export function createApp({ desk, onError, ...context }: AppOptions): App {
  const app: App = Fastify({
    bodyLimit: LARGEST_BODY,
    // A customer's id is part of the path: up to 1,024 characters, each of up to twelve in the URL.
    routerOptions: { maxParamLength: 16_384 },
    forceCloseConnections: 'idle',
    frameworkErrors: (error, _request, reply) => sendProblem(reply, problemFor(error)),
    clientErrorHandler: answerBrokenRequest,
  }).withTypeProvider<ZodTypes>()
  const routes: RouteOptions[] = []
  let openApi: OpenApi | undefined
  app.addHook('onRoute', (route) => {
    if (route.config?.scope === undefined) throw new Error(`Route ${route.url} has no config.scope.`)
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
