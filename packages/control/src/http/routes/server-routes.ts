import { z } from 'zod'
import { readSettings } from '../../plans/settings.js'
import { readState, SYNC_MS } from '../../store/state.js'
import { listServers, serverCount, stopCounting } from '../../sync/membership.js'
import { serverSchema } from '../../sync/server-schema.js'
import { type App, authorOf, type RouteContext } from '../route-context.js'

/** A server is silent after three intervals without a sync. */
const SILENT_MS = 3 * SYNC_MS

/** Servers: which ones sync, what each has, and how many share a limit. */
export function serverRoutes(app: App, { db, clock }: RouteContext): void {
  const tags = ['servers']

  app.get('/v1/servers', {
    config: { scope: 'read' },
    schema: {
      summary: 'The servers of the last days, the latest sync first',
      tags,
      response: {
        200: z.object({
          setting: z.enum(['each', 'split']),
          counted: z.int().min(0).describe('How many servers share a limit now.'),
          servers: z.array(serverSchema),
        }),
      },
    },
    handler: () => {
      const now = clock()
      const { epoch, rev } = readState(db)
      const servers = listServers(db).map((server) => {
        const counted = server.countedUntil > now
        const silent = now - server.lastSync > SILENT_MS
        const state = server.leftAt !== null ? 'left' : !counted ? 'gone' : silent ? 'silent' : 'running'
        const isCurrent = server.epoch === epoch && server.rev === rev
        return { ...server, counted, state, isCurrent } as const
      })
      return { setting: readSettings(db).servers, counted: serverCount(db, now), servers }
    },
  })

  app.delete('/v1/servers/:id', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Stop counting a server that will not come back. If it does, it is counted again',
      tags,
      params: z.object({ id: z.string() }),
      response: { 204: z.undefined() },
    },
    handler: (request, reply) => {
      stopCounting(db, request.params.id, authorOf(request, clock))
      reply.code(204).send(undefined)
    },
  })
}
