import { perSecond } from '@rail/core'
import { createClient } from '../../src/index.js'
import { bucketServer } from './servers.js'
import { seeded, World } from './world.js'

/** How many requests reach the server in each second. */
export type Herd = readonly number[]

/** How one of the clients gets its request served. */
type Behaviour = (send: () => Promise<Response>, world: World, random: () => number) => Promise<unknown>

/** A client that waits for exactly Retry-After, as most do. */
export const naive: Behaviour = async (send, world) => {
  for (let response = await send(); response.status !== 200; response = await send()) {
    await world.sleep(Number(response.headers.get('Retry-After')) * 1_000)
  }
}

/** @rail/client with its defaults; only that nobody gives up, so that both serve the same. */
export const rail: Behaviour = (send, { clock, timer }, random) =>
  createClient({ fetch: send, clock, timer, random, retries: 1_000 })('http://api.test/')

/**
 * 500 clients, each a process of its own, come at one moment to a server that serves `perSecondServed` a second and has
 * just been used up, so that all of them are refused with the same wait. Simulated, and the same for the same seed.
 */
export async function herd(behaviour: Behaviour, perSecondServed: number, seed: number): Promise<Herd> {
  const world = new World()
  const random = seeded(seed)
  const server = bucketServer([perSecond(perSecondServed)], world.clock)
  for (let used = 0; used < perSecondServed; used++) server()
  const seconds: number[] = []
  const send = async (): Promise<Response> => {
    const second = Math.floor(world.now / 1_000)
    while (seconds.length <= second) seconds.push(0)
    seconds[second] = (seconds[second] ?? 0) + 1
    const response = server()
    await world.sleep(20)
    return response
  }
  await world.until(Promise.all(Array.from({ length: 500 }, () => behaviour(send, world, random))))
  return seconds
}

/** The seconds after the first, from the one in which somebody comes back. */
export function later(seconds: Herd): Herd {
  const returned = seconds.findIndex((requests, second) => second > 0 && requests > 0)
  return seconds.slice(returned)
}

/** The busiest of them. */
export function busiest(seconds: Herd): number {
  return Math.max(...seconds)
}

/** How many requests a second they are on average. */
export function mean(seconds: Herd): number {
  return seconds.reduce((sum, requests) => sum + requests, 0) / seconds.length
}
