import type { Context } from 'hono'

/** A function to call for each response of a context, and the one that was there before. */
interface Confirming {
  readonly confirm: () => void
  readonly outer: Confirming | undefined
}

/**
 * A middleware in front of the limiter may answer before the handler does, as a timeout, or replace what the handler has
 * answered: by a response of its own that lacks the context's headers. `confirm` is called once there is such a response.
 */
export function onEveryResponse(c: Context, confirm: () => void): void {
  const outer = confirmingOf(c)
  if (outer === undefined) watch(c)
  c.set(CONFIRMING, { confirm, outer })
}

/** The name in the context's variables: a symbol, so that no other name is the same. */
const CONFIRMING = Symbol('rail') as unknown as string

/** Makes a context call `confirm` when a response is assigned to it. */
function watch(c: Context): void {
  const { get, set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(c), 'res') ?? {}
  if (get === undefined || set === undefined) return
  Object.defineProperty(c, 'res', {
    configurable: true,
    get,
    set(this: Context, response: Response | undefined) {
      set.call(this, response)
      if (response === undefined) return
      for (let it = confirmingOf(this); it !== undefined; it = it.outer) it.confirm()
    },
  })
}

function confirmingOf(c: Context): Confirming | undefined {
  return c.get(CONFIRMING) as Confirming | undefined
}
