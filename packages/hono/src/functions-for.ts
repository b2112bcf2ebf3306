import type { Context } from 'hono'

/** Hono keeps here the handler of a sub-app that it has wrapped, because the sub-app handles its own errors. */
interface Wrapping {
  readonly length: number
  readonly __COMPOSED_HANDLER?: Wrapping | undefined
}

/** The functions that the request meets next where each calls `next`, in their order, up to one that cannot. */
export function functionsFor(c: Context): readonly Wrapping[] {
  const functions = c.req.matchedRoutes.slice(c.req.routeIndex + 1).map(({ handler }) => within(handler))
  // It takes no `next`.
  const last = functions.findIndex(({ length }) => length === 1)
  return last === -1 ? functions : functions.slice(0, last)
}

function within(handler: Wrapping): Wrapping {
  return handler.__COMPOSED_HANDLER === undefined ? handler : within(handler.__COMPOSED_HANDLER)
}
