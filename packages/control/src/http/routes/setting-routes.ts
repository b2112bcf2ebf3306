import { ifMatchSchema } from '../../base/schemas.js'
import { putSettings } from '../../plans/change-settings.js'
import { settingsBodySchema, settingsSchema } from '../../plans/plan-schemas.js'
import { readSettings } from '../../plans/settings.js'
import { preconditionOf } from '../../store/precondition.js'
import { type App, authorOf, type RouteContext } from '../route-context.js'

/** The settings: rate limits across servers, and the default plan. */
export function settingRoutes(app: App, { db, clock }: RouteContext): void {
  const tags = ['settings']

  app.get('/v1/settings', {
    config: { scope: 'read' },
    schema: { summary: 'The settings', tags, response: { 200: settingsSchema } },
    handler: (_request, reply) => {
      const settings = readSettings(db)
      reply.header('etag', `"${settings.rev}"`)
      return settings
    },
  })

  app.patch('/v1/settings', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Change settings; what is left out stays',
      tags,
      headers: ifMatchSchema,
      body: settingsBodySchema,
      response: { 200: settingsSchema },
    },
    handler: (request, reply) => {
      const settings = putSettings(db, request.body, preconditionOf(request.headers), authorOf(request, clock))
      reply.header('etag', `"${settings.rev}"`)
      return settings
    },
  })
}
