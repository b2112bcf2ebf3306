import type { FastifyRequest, RouteOptions } from 'fastify'

/** In a route's config, which its requests know, unlike its hooks. */
const LIMITERS = Symbol('rail.limiters')

/** A route's config, with the limiters of its hooks. */
interface Config {
  [LIMITERS]?: readonly (object | undefined)[]
}

/** Keeps the limiters of a route's own hooks in its config, for {@link hooksOfRoute}. */
export function keepHooks(route: RouteOptions, limiters: WeakMap<object, object>): void {
  const hooks: readonly object[] = [route.onRequest, route.preParsing, route.preValidation, route.preHandler]
    .flat()
    .filter((hook) => hook !== undefined)
  const found = hooks.map((hook) => limiters.get(hook))
  // Several routes may share a config.
  if (found.some(Boolean)) route.config = { ...route.config, ...({ [LIMITERS]: found } satisfies Config) }
}

/** The limiters of the own hooks of a request's route, in their order, where it was declared after the plugin. */
export function hooksOfRoute(request: FastifyRequest): readonly (object | undefined)[] {
  return (request.routeOptions.config as Config)[LIMITERS] ?? []
}
