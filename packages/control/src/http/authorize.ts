import type { Scope } from '../access/token.js'
import { findToken } from '../access/tokens.js'
import { Problem } from '../base/problem.js'
import type { App, RouteContext } from './route-context.js'

/** Checks that a request has a token with the scope of its route. */
export function authorize(app: App, { db, clock }: RouteContext): void {
  app.decorateRequest('token', null)
  app.addHook('onRequest', async (request) => {
    const { scope } = request.routeOptions.config
    // Every route has a scope. A path that is not found has none.
    if (request.is404 || scope === undefined || scope === 'none') return
    const [, text] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? []
    if (text === undefined) {
      throw new Problem(
        'no_token',
        `Authorization: expected a token with the scope "${scope}", got none. Send Bearer rail_${scope}_….`,
      )
    }
    const token = findToken(db, text, clock())
    if (token === undefined)
      throw new Problem(
        'bad_token',
        'Authorization: expected a valid token, got one that does not exist. It may have been removed.',
      )
    if (!allows(token.scope, scope)) {
      throw new Problem(
        'wrong_scope',
        `Authorization: expected a token with the scope "${scope}", got one with "${token.scope}".`,
      )
    }
    request.token = token
  })
}

/** An admin token may read. It may not sync, because it must not be on the servers. */
function allows(has: Scope, needs: Scope): boolean {
  return has === needs || (has === 'admin' && needs === 'read')
}
