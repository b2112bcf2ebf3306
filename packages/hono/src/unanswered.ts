import type { Context } from 'hono'

/** A limiter whose handler has not answered yet, and the limiter in front of it. */
interface Unanswered {
  readonly confirm: () => void
  readonly outer: Unanswered | undefined
}

/**
 * A middleware in front of the limiter, such as a timeout, may answer before the handler does, with a response of its own
 * that lacks the context's headers. `confirm` is called once there is such a response.
 *
 * @returns a function to call when the handler has answered
 */
export function untilAnswered(c: Context, confirm: () => void): () => void {
  watch(Object.getPrototypeOf(c))
  const outer = unansweredOf(c)
  c.set(UNANSWERED, { confirm, outer })
  return () => c.set(UNANSWERED, outer)
}

/** The name in the context's variables: a symbol, so that no other name is the same. */
const UNANSWERED = Symbol('rail') as unknown as string

const watched = new WeakSet<object>()

/** Makes Hono's contexts call `confirm` when a response is assigned: once, in their prototype. */
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
