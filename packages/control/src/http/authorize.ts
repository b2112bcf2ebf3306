import type { Scope } from '../access/token.js'
import { findToken } from '../access/tokens.js'
import { Problem } from '../base/problem.js'
import type { App, RouteContext } from './route-context.js'

/** Lets a request through whose token may do what its route asks for. */
export function authorize(app: App, { db, clock }: RouteContext): void {
  app.decorateRequest('token', null)
  app.addHook('onRequest', async (request) => {
    const { scope } = request.routeOptions.config
    // What is not found has no scope; every route does.
    if (request.is404 || scope === undefined || scope === 'none') return
    const [, text] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? []
    if (text === undefined) {
      throw new Problem(
        'no_token',
        `This needs a token with the scope "${scope}": Authorization: Bearer rail_${scope}_…`,
      )
    }
    const token = findToken(db, text, clock())
    if (token === undefined) throw new Problem('bad_token', 'There is no such token; it may have been removed.')
    if (!allows(token.scope, scope)) {
      throw new Problem('wrong_scope', `This needs a token with the scope "${scope}"; this one has "${token.scope}".`)
    }
    request.token = token
  })
}

/** A token for everything may read. It may not sync: it has no business on the servers. */
function allows(has: Scope, needs: Scope): boolean {
  return has === needs || (has === 'admin' && needs === 'read')
}
