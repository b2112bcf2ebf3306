import { expect } from 'vitest'
import type { ScenarioName } from '../scenarios/scenarios.js'
import type { App, OpenScenario } from '../test-adapter/app.js'
import type { Answer } from '../test-adapter/wire.js'

/** A sentence of the specification of adapters, and how it is checked. */
export interface AdapterCheck {
  readonly name: string
  /** Fails where the sentence does not hold. */
  readonly check: (app: App) => Promise<void>
  /** What some framework or runtime cannot do, as its harness says. */
  readonly needs: Need | undefined
}

/**
 * What a framework, a runtime or a store by itself may not be able to do:
 *
 * - `'thrown-text'`: answer a request whose handler throws something that is no Error
 * - `'unread-body'`: keep a connection open after a request whose body nobody read
 * - `'shared-promise'`: let one request resolve the promise that another waits for
 * - `'paths-as-sent'`: hand over a path such as `//costly` as it was sent
 * - `'decision-at-once'`: decide in the turn of the request, as a store elsewhere cannot
 */
export type Need = 'thrown-text' | 'unread-body' | 'shared-promise' | 'paths-as-sent' | 'decision-at-once'

/** A check that plays in one scenario. */
export function check(
  name: string,
  scenario: ScenarioName,
  play: (app: OpenScenario) => Promise<void>,
  needs?: AdapterCheck['needs'],
): AdapterCheck {
  return { name, check: async (app) => play(await app.open(scenario)), needs }
}

/** The header fields of an answer that are Rail's. */
export function railFields(answer: Answer): Record<string, string | undefined> {
  const names = ['RateLimit-Policy', 'RateLimit', 'Retry-After']
  return Object.fromEntries(names.map((name) => [name, answer.field(name)]).filter(([, value]) => value !== undefined))
}

/** Expects that a response carries the fields of an allowed request, each once, and what limits are left. */
export function expectFields(answer: Answer, policy: string, state: string): void {
  expect(railFields(answer)).toEqual({ 'RateLimit-Policy': policy, RateLimit: state })
  expect([answer.lines('RateLimit-Policy'), answer.lines('RateLimit')]).toEqual([1, 1])
}

/** How often each value comes. */
export function tally<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** So many times a value. */
export function times<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value)
}

/** The statuses in the text of several responses. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]))
}

/** Whole numbers from 0 to below `below`, the same for the same seed: the generator of D. H. Lehmer, as MINSTD has it. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}
