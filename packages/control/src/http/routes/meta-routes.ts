import { z } from 'zod'
import { readState } from '../../store/state.js'
import type { OpenApi } from '../openapi.js'
import type { App, RouteContext } from '../route-context.js'

/** Routes without a token: the health check and the OpenAPI document. */
export function metaRoutes(app: App, { db }: RouteContext, openApi: () => OpenApi): void {
  const tags = ['meta']

  app.get('/health', {
    config: { scope: 'none' },
    schema: {
      summary: 'Check that the control plane runs and can read its database',
      tags,
      response: { 200: z.object({ status: z.literal('ok'), rev: z.int().min(0) }) },
    },
    handler: () => ({ status: 'ok', rev: readState(db).rev }) as const,
  })

  app.get('/openapi.json', {
    config: { scope: 'none' },
    schema: {
      summary: 'This document',
      tags,
      response: { 200: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }) },
    },
    handler: () => ({ ...openApi() }),
  })
}
