import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Need } from './adapter-checks/check.js'
import { ADAPTER_CHECKS } from './adapter-checks/index.js'
import { App } from './test-adapter/app.js'
import type { RunningApp } from './test-adapter/listen.js'

/** How an app under test is started. */
export interface AdapterHarness {
  /** The framework, and its version where there are several. */
  readonly name: string
  /** Starts the apps of all scenarios, anywhere: `() => listen(listenerFor(app))`. */
  start(): Promise<RunningApp>
  /** Features that the framework or the runtime does not have. Checks that need them are left out. */
  readonly cannot?: readonly Need[] | undefined
}

/** Tests an adapter over real HTTP, in a test file of vitest. */
export function testAdapter({ name, start, cannot = [] }: AdapterHarness): void {
  describe(name, () => {
    let running: RunningApp
    let app: App
    beforeAll(async () => {
      running = await start()
      app = new App(running.url)
    }, LONGEST_MS)
    afterAll(async () => {
      app.close()
      await running.stop()
    }, LONGEST_MS)
    for (const { name: sentence, check, needs } of ADAPTER_CHECKS) {
      if (needs === undefined || !cannot.includes(needs)) it(sentence, () => check(app), LONGEST_MS)
    }
  })
}

/** No check waits for real time, but the machine may be busy. */
const LONGEST_MS = 60_000
