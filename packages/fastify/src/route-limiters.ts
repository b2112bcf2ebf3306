import type { Limiter, RouteOptions } from '@rail/core'
import { checkOptionNames, unexpected } from '@rail/core/adapter'
import type { FastifyRequest } from 'fastify'

type Routed = Limiter<FastifyRequest>

/**
 * Gives each route its limiter, made once, by its `config.rail` and its URL pattern, which is the scope of its limits unless
 * it names another.
 *
 * @throws RailError for wrong options, and for a limit that another route of the same scope defines differently
 */
export function routeLimiters(limiter: Routed): (route: unknown, url: string) => Routed {
  const made = new WeakMap<object, Map<string, Routed>>()

  return (route, url) => {
    if (route === undefined || route === false) return limiter
    if (typeof route !== 'object' || route === null) {
      const toDo = 'Write false, { cost }, { scope } or { limits }.'
      throw unexpected('RAIL_BAD_OPTION', `config.rail of route ${url}`, 'false or an object', route, toDo)
    }
    // Several routes may share one object, and then not one URL.
    const byUrl = made.get(route) ?? new Map<string, Routed>()
    made.set(route, byUrl)
    const known = byUrl.get(url)
    if (known !== undefined) return known
    checkOptionNames(route, ['cost', 'scope', 'limits'], `config.rail of route ${url}`)
    const { scope = url, ...given }: RouteOptions<FastifyRequest> = route
    const options = given.limits === undefined ? (route as RouteOptions<FastifyRequest>) : { ...given, scope }
    const ofRoute = limiter.with(options)
    byUrl.set(url, ofRoute)
    return ofRoute
  }
}
