import { type Client, type ClientOptions, createClient } from '../../src/index.js'
import { seeded, World } from './world.js'

/** One request as it came to the server. */
export interface Arrival {
  readonly at: number
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: string
}

/** What a server answers: a response, or an error instead of one. */
export type Answer = Response | Error

/** A client and a server that a test plays, with time that the test controls. */
export interface Stage {
  readonly world: World
  readonly client: Client
  readonly arrivals: readonly Arrival[]
}

export const URL = 'http://api.test/'

/**
 * @param answer What the server answers to a request, given how many came before it. The answer comes `latencyMs` after
 * the request was sent.
 */
export function stage(
  answer: (nth: number, arrival: Arrival) => Answer | Promise<Answer>,
  { latencyMs = 0, world = new World(), ...options }: ClientOptions & { latencyMs?: number; world?: World } = {},
): Stage {
  const arrivals: Arrival[] = []
  const client = createClient({
    clock: world.clock,
    timer: world.timer,
    random: seeded(1),
    ...options,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const { url, method, headers, signal } = request
      const arrival = { at: world.now, url, method, headers, body: await request.text() }
      const nth = arrivals.push(arrival) - 1
      if (latencyMs > 0) await world.sleep(latencyMs)
      signal.throwIfAborted()
      const answered = await answer(nth, arrival)
      if (answered instanceof Error) throw answered
      return answered
    },
  })
  return { world, client, arrivals }
}

/** A response without a body. */
export function respond(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers })
}

/** Server's answers in turn; the last stays. */
export function inTurn(...answers: readonly (() => Answer)[]): (nth: number) => Answer {
  return (nth) => (answers[Math.min(nth, answers.length - 1)] as () => Answer)()
}

/** What a promise is rejected with. */
export function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expectedError(),
    (error: unknown) => error,
  )
}

function expectedError(): never {
  throw new Error('this was to fail, and did not')
}
