import { z } from 'zod'
import { tokenSchema } from '../../access/token-schema.js'
import { addToken, listTokens, removeToken } from '../../access/tokens.js'
import { nameSchema } from '../../base/schemas.js'
import { type App, authorOf, type RouteContext } from '../route-context.js'

/** Tokens: list, create, remove. Several may be valid at once, so one can be replaced without an outage. */
export function tokenRoutes(app: App, { db, clock }: RouteContext): void {
  const tags = ['tokens']

  app.get('/v1/tokens', {
    config: { scope: 'admin' },
    schema: {
      summary: 'All tokens, without their secrets',
      tags,
      response: { 200: z.object({ tokens: z.array(tokenSchema) }) },
    },
    handler: () => ({ tokens: listTokens(db) }),
  })

  app.post('/v1/tokens', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Create a token. It is shown only this once',
      tags,
      body: z.strictObject({ scope: tokenSchema.shape.scope, label: nameSchema }),
      response: { 201: tokenSchema.extend({ token: z.string() }) },
    },
    handler: (request, reply) => {
      const { scope, label } = request.body
      reply.code(201).send(addToken(db, scope, label, authorOf(request, clock)))
    },
  })

  app.delete('/v1/tokens/:selector', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Revoke a token at once',
      tags,
      params: z.object({ selector: z.string() }),
      response: { 204: z.undefined() },
    },
    handler: (request, reply) => {
      removeToken(db, request.params.selector, authorOf(request, clock))
      reply.code(204).send(undefined)
    },
  })
}
