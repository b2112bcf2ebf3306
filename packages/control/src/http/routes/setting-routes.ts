import { ifMatchSchema } from '../../base/schemas.js'
import { putSettings } from '../../plans/change-settings.js'
import { settingsBodySchema, settingsSchema } from '../../plans/plan-schemas.js'
import { readSettings } from '../../plans/settings.js'
import { changeOf, tagged } from '../conditional.js'
import type { App, RouteContext } from '../route-context.js'

/** The settings: whole or split limits, and the default plan. */
export function settingRoutes(app: App, { db, clock }: RouteContext): void {
  const tags = ['settings']

  app.get('/v1/settings', {
    config: { scope: 'read' },
    schema: { summary: 'The settings', tags, response: { 200: settingsSchema } },
    handler: (_request, reply) => tagged(reply, readSettings(db)),
  })

  app.patch('/v1/settings', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Change settings. Those left out stay',
      tags,
      headers: ifMatchSchema,
      body: settingsBodySchema,
      response: { 200: settingsSchema },
    },
    handler: (request, reply) => tagged(reply, putSettings(db, request.body, ...changeOf(request, clock))),
  })
}
