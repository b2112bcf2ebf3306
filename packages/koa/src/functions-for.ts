import type { ParameterizedContext } from 'koa'

type Function = (...given: never[]) => unknown

/** The middleware of a `@koa/router`, which has the router. */
interface Routed extends Function {
  readonly router?: Router | undefined
}

interface Router {
  readonly exclusive?: unknown
  readonly opts?: { readonly routerPath?: string | undefined } | undefined
  match(path: string, method: string): { readonly pathAndMethod: readonly Layer[]; readonly route: boolean }
  matchHost?(host: string): boolean
}

interface Layer {
  readonly stack: readonly Function[]
}

/**
 * The functions of the application that a request meets where each calls `next`, in their order, up to one that cannot.
 * Those of its `@koa/router`s are among them, what other functions call is not.
 */
export function functionsFor(ctx: ParameterizedContext): readonly Function[] {
  const found: Function[] = []
  for (const middleware of ctx.app.middleware as readonly Routed[]) {
    const { router } = middleware
    for (const each of router === undefined ? [middleware] : functionsOf(router, ctx)) {
      found.push(each)
      // It takes no `next`.
      if (each.length === 1) return found
    }
  }
  return found
}

function functionsOf(router: Router, ctx: ParameterizedContext): readonly Function[] {
  if (router.matchHost?.(ctx.host) === false) return []
  const { pathAndMethod, route } = router.match(router.opts?.routerPath ?? ctx.path, ctx.method)
  return route ? (router.exclusive ? pathAndMethod.slice(-1) : pathAndMethod).flatMap(({ stack }) => stack) : []
}
