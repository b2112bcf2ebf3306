import { checkOptionNames, type Limit, type Limiter, RailError, type RouteOptions } from '@rail/core'
import type { FastifyRequest } from 'fastify'

type Routed = Limiter<FastifyRequest>

/**
 * Gives each route its limiter, made once, by what its `config.rail` says and its URL pattern, under which its limits are
 * counted unless it names a scope.
 *
 * @throws RailError for options that are wrong, or that undo another route's
 */
export function routeLimiters(limiter: Routed): (route: unknown, url: string) => Routed {
  const made = new WeakMap<object, Map<string, Routed>>()
  const buckets = new Map<string, Limit>()

  return (route, url) => {
    if (route === undefined || route === false) return limiter
    if (typeof route !== 'object' || route === null) {
      throw new RailError(
        'RAIL_BAD_OPTION',
        `config.rail of route ${url} is false or an object, got ${String(route)}. Write false, { cost }, { scope } or { limits }.`,
      )
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
    if (Array.isArray(options.limits)) checkAlike(options.scope, options.limits)
    byUrl.set(url, ofRoute)
    return ofRoute
  }

  /** Two methods of one URL share its scope, so their limits of one name must be one limit, or each would undo the other. */
  function checkAlike(scope = '', limits: readonly Limit[]): void {
    for (const limit of limits) {
      const bucket = JSON.stringify([scope, limit.name])
      const other = buckets.get(bucket) ?? limit
      if (JSON.stringify(other) !== JSON.stringify(limit)) {
        throw new RailError(
          'RAIL_DUPLICATE_NAME',
          `Two routes define limit "${limit.name}" under the scope "${scope}" differently, and each would undo the other. ` +
            'Give one of them a scope of its own: config: { rail: { scope, limits } }.',
        )
      }
      buckets.set(bucket, limit)
    }
  }
}
