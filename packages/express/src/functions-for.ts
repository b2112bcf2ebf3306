import type { Request } from 'express'

type Function = (...given: never[]) => unknown

/** A layer of a router's stack, in Express 5 and 4. The types of Express have no names for it. */
interface Layer {
  readonly handle: Function & { readonly stack?: readonly Layer[] | undefined }
  /** A route, whose own layers are for one method each, or for all. */
  readonly route?: { readonly methods: Readonly<Record<string, boolean>>; readonly stack: readonly Layer[] } | undefined
  readonly method?: string | undefined
  /** Express 4 keeps here what was matched last. */
  readonly path?: string | undefined
  match(path: string): boolean | { readonly path: string }
}

/** An application of Express 5 or 4. */
interface App {
  readonly _router?: { readonly stack: readonly Layer[] } | undefined
  readonly router: { readonly stack: readonly Layer[] }
  /** Where it is mounted, `''` if it is not. */
  path(): string
}

/**
 * The functions of the application that a request meets where each calls `next`, in their order, up to one that cannot. What
 * another application or a wrapper calls is not among them.
 */
export function functionsFor(req: Request): readonly Function[] {
  const app = req.app as unknown as App
  const found: Function[] = []
  walk((app._router ?? app.router).stack, pathIn(app, req), req.method.toLowerCase(), found)
  return found
}

/** The path as the application's own routes see it. */
function pathIn(app: App, { baseUrl, path }: Request): string {
  const mounted = app.path().split('/').filter(Boolean).length
  return `/${(baseUrl + path)
    .split('/')
    .slice(1 + mounted)
    .join('/')}`
}

/** @returns whether one of the functions has to answer */
function walk(stack: readonly Layer[], path: string, method: string, found: Function[]): boolean {
  return stack.some((layer) => {
    const matched = matchedBy(layer, path)
    if (matched === undefined) return false
    const { route, handle } = layer
    if (route !== undefined) {
      // As in Express, GET serves HEAD too.
      const served = method === 'head' && route.methods.head !== true ? 'get' : method
      return route.stack.some((each) => (each.method ?? served) === served && add(each.handle, found))
    }
    if (handle.stack === undefined) return add(handle, found)
    const rest = path.slice(matched.length)
    return walk(handle.stack, rest.startsWith('/') ? rest : `/${rest}`, method, found)
  })
}

/** The start of the path that a layer matches; `undefined`: it is for other paths. */
function matchedBy(layer: Layer, path: string): string | undefined {
  try {
    const match = layer.match(path)
    return match === false ? undefined : match === true ? layer.path : match.path
  } catch {
    // The path cannot be decoded.
    return undefined
  }
}

/** @returns whether the function takes no `next`. One with four parameters is for errors; one with none may take them all. */
function add(handle: Function, found: Function[]): boolean {
  if (handle.length <= 3) found.push(handle)
  return handle.length === 1 || handle.length === 2
}
