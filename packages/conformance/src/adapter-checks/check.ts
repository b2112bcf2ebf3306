import { expect } from 'vitest'
import type { ScenarioName } from '../scenarios/scenarios.js'
import type { App, OpenScenario } from '../test-adapter/app.js'
import type { Answer } from '../test-adapter/wire.js'

/** A sentence of the specification of adapters, with its check. */
export interface AdapterCheck {
  readonly name: string
  /** Fails where the adapter breaks the sentence. */
  readonly check: (app: App) => Promise<void>
  /** A feature that some frameworks or runtimes do not have, by their harness. */
  readonly needs: Need | undefined
}

/**
 * A feature that a framework, a runtime or a store may not have:
 *
 * - `'thrown-string'`: answer a request whose handler throws a value that is not an Error
 * - `'unread-body'`: keep a connection open after a request whose body was not read
 * - `'broken-stream'`: go on after a response whose body failed on its way
 * - `'shared-promise'`: one request can resolve the promise that another waits for
 * - `'paths-as-sent'`: hand over a path such as `//costly` as it was sent
 * - `'date'`: send a `Date` by itself
 * - `'decision-at-once'`: decide in the turn of the request, as a store over a network cannot
 */
export type Need =
  | 'thrown-string'
  | 'unread-body'
  | 'broken-stream'
  | 'shared-promise'
  | 'paths-as-sent'
  | 'date'
  | 'decision-at-once'

/** A check that plays in one scenario. */
export function check(
  name: string,
  scenario: ScenarioName,
  play: (app: OpenScenario) => Promise<void>,
  needs?: AdapterCheck['needs'],
): AdapterCheck {
  return { name, check: async (app) => play(await app.open(scenario)), needs }
}

/** Rail's headers in an answer. */
export function railHeaders(answer: Answer): Record<string, string | undefined> {
  const names = ['RateLimit-Policy', 'RateLimit', 'Retry-After']
  return Object.fromEntries(names.map((name) => [name, answer.header(name)]).filter(([, value]) => value !== undefined))
}

/** Expects the headers of an allowed request, each once. */
export function expectHeaders(answer: Answer, policy: string, state: string): void {
  expect(railHeaders(answer)).toEqual({ 'RateLimit-Policy': policy, RateLimit: state })
  expect([answer.lines('RateLimit-Policy'), answer.lines('RateLimit')]).toEqual([1, 1])
}

/** Counts each value. */
export function tally<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** An array of `count` equal values. */
export function times<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value)
}

/** The statuses in the text of several responses. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]))
}

/** Random whole numbers from 0 to below `below`, the same for the same seed: D. H. Lehmer's generator MINSTD. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}
