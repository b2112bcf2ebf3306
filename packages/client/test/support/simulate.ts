import { type ClientOptions, createClient } from '../../src/index.js'
import type { Server } from './servers.js'
import { seeded, World } from './world.js'

/** What is to happen between one client and one server. */
export interface Simulation {
  readonly server: (world: World) => Server
  /** How many callers call one after the other, all at once. */
  readonly callers: number
  readonly requests: number
  /** The longest that a request, and its answer, are on their way; each takes a part of it at random. */
  readonly latencyMs: number
  readonly seed: number
  readonly options?: ClientOptions
}

/** What happened. */
export interface Course {
  /** When each request reached the server, and what it answered. */
  readonly arrivals: readonly { readonly at: number; readonly status: number }[]
  readonly refusals: number
  /** How long it took, in milliseconds. */
  readonly tookMs: number
}

/** Lets callers share a client until all requests are answered, in simulated time. Answers come late and out of order. */
export async function simulate({ server, callers, requests, latencyMs, seed, options }: Simulation): Promise<Course> {
  const world = new World()
  const random = seeded(seed)
  const answer = server(world)
  const arrivals: { at: number; status: number }[] = []
  const client = createClient({
    clock: world.clock,
    timer: world.timer,
    random,
    ...options,
    fetch: async () => {
      await world.sleep(random() * latencyMs)
      const response = answer()
      arrivals.push({ at: world.now, status: response.status })
      await world.sleep(random() * latencyMs)
      return response
    },
  })
  let left = requests - 1
  const caller = async (): Promise<void> => {
    while (left-- > 0) await client('http://api.test/')
  }
  // The first answer has the limits. The client does not wait for one that takes more than a second.
  await world.until(client('http://api.test/'))
  await world.until(Promise.all(Array.from({ length: callers }, caller)))
  const refusals = arrivals.filter(({ status }) => status === 429).length
  return { arrivals, refusals, tookMs: world.now }
}
