import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HostileCase, hostileCases } from './adapter-checks/hostile-cases.js'
import { App } from './test-adapter/app.js'
import type { RunningApp } from './test-adapter/listen.js'
import type { AdapterHarness } from './test-adapter.js'

/** An adapter, and which cases are tried. */
export interface HostileRequests extends Pick<AdapterHarness, 'name' | 'start'> {
  /** @default 10,000 */
  readonly cases?: number | undefined
  /** A whole number from 1. @default 20,261,130 */
  readonly seed?: number | undefined
}

/**
 * Tests an adapter with headers that a client made up: keys of any bytes, addresses in every notation, strings that only
 * look like addresses, and headers that a limiter might believe. No case is an error, and every second request is refused.
 */
export function testHostileRequests({ name, start, cases = 10_000, seed = 20_261_130 }: HostileRequests): void {
  describe(name, () => {
    let running: RunningApp
    let app: App
    beforeAll(async () => {
      running = await start()
      app = new App(running.url)
    })
    afterAll(async () => {
      app.close()
      await running.stop()
    })
    it(
      `no header that a client sends is an error or a free pass: ${cases} cases, seed ${seed}`,
      async () => {
        expect(await faultsOf(app, hostileCases(cases, seed))).toEqual([])
      },
      LONGEST_MS,
    )
  })
}

const LONGEST_MS = 300_000

/** The fault of the first case that is answered wrongly; `[]` if there is none. */
export async function faultsOf(app: App, cases: readonly HostileCase[]): Promise<string[]> {
  const open = {
    'raw-keys': await app.open('raw-keys'),
    'raw-addresses': await app.open('raw-addresses'),
  }
  for (let start = 0; start < cases.length; start += BATCH) {
    for (const [scenario, running] of Object.entries(open)) {
      const batch = cases.slice(start, start + BATCH).filter((one) => one.scenario === scenario)
      if (batch.length === 0) continue
      const answers = answersIn(
        await running.pipeline(batch.flatMap(({ first, again }) => [first, again].map(unnamed))),
      )
      const faults = batch.flatMap((one, index) => faultOf(one, answers[2 * index], answers[2 * index + 1]))
      if (faults.length > 0) return faults.slice(0, 1)
    }
  }
  return []
}

/** Cases that go over one socket at once. */
const BATCH = 100

/** Leaves out the suite's customer: a case has its own. */
function unnamed<T>(request: T): T & { readonly anonymous: true } {
  return { ...request, anonymous: true }
}

function answersIn(text: string): string[] {
  return text.split(/(?=HTTP\/1\.1 \d{3} )/).filter((answer) => answer !== '')
}

function faultOf({ isNew, first, again }: HostileCase, one = '', two = ''): string[] {
  const [was, is] = [statusOf(one), statusOf(two)]
  const fault = (what: string): string[] => [`${what}: ${JSON.stringify([first, again]).slice(0, 400)}`]
  // A header may make it a 304.
  const allowed = was >= 200 && was < 400
  if (isNew ? !allowed : was !== 429) return fault(`first answered ${was}`)
  if (is !== 429) return fault(`then answered ${is}`)
  return /^retry-after: 60\r?$/im.test(two) ? [] : fault('no Retry-After of 60')
}

function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
}
