import type { Context } from 'hono'

/** A limiter whose handler has not answered yet, and the one in front of it. */
interface Unanswered {
  readonly confirm: () => void
  readonly outer: Unanswered | undefined
}

/**
 * Whoever answers before the handler does (a timeout in front of the limiter, and then the user's `onError`) may do it with a
 * response of its own, which knows nothing of the context's fields. `confirm` is called once there is such a response.
 *
 * @returns to be called when the handler has answered
 */
export function untilAnswered(c: Context, confirm: () => void): () => void {
  watch(Object.getPrototypeOf(c))
  const outer = unansweredOf(c)
  c.set(UNANSWERED, { confirm, outer })
  return () => c.set(UNANSWERED, outer)
}

/** Kept in the context's own variables, where nobody else's name can be the same. */
const UNANSWERED = Symbol('rail') as unknown as string

const watched = new WeakSet<object>()

/** Makes sure that Hono's contexts tell of a response that they are given: once, in their prototype. */
function watch(prototype: object): void {
  if (watched.has(prototype)) return
  watched.add(prototype)
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'res')
  const { get, set } = descriptor ?? {}
  if (get === undefined || set === undefined) return
  Object.defineProperty(prototype, 'res', {
    ...descriptor,
    set(this: Context, response: Response | undefined) {
      set.call(this, response)
      if (response === undefined) return
      for (let it = unansweredOf(this); it !== undefined; it = it.outer) it.confirm()
    },
  })
}

function unansweredOf(c: Context): Unanswered | undefined {
  return c.get(UNANSWERED) as Unanswered | undefined
}
