import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { manualClock } from '@rail/express'
import { syncPlans } from '@rail/plans'
import { expect, it, onTestFinished } from 'vitest'
import { createApp, demoKeys } from '../src/app.js'
import { startDemoControl } from '../src/demo-control.js'
import { plans } from '../src/plans.js'

const CLI = fileURLToPath(new URL('../../../packages/control/src/cli.ts', import.meta.url))

it('takes its plans from a control plane, and the command that is printed raises a limit for the next burst', async () => {
  const control = await startDemoControl(plans)
  const synced = syncPlans({ url: control.url, token: control.syncToken })
  const clock = manualClock()
  const server = createApp({ limits: synced, clock }).listen(0, '127.0.0.1')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await synced.close()
    await control.close()
  })
  await once(server, 'listening')
  await synced.ready({ live: true })

  const ask = (): Promise<Response> => {
    const { port } = server.address() as AddressInfo
    return fetch(`http://127.0.0.1:${port}/v1/hello`, { headers: { authorization: `Bearer ${demoKeys.acme}` } })
  }
  const letIn = async (): Promise<number> => {
    let count = 0
    for (let asked = 0; asked < 15; asked++) if ((await ask()).status === 200) count += 1
    return count
  }
  expect(await letIn()).toBe(10)

  const command = spawn(process.execPath, ['-C', '@rail/source', '--import', 'tsx', CLI, ...control.raise])
  expect(await once(command, 'exit')).toEqual([0, null])
  while (!(await ask()).headers.get('RateLimit-Policy')?.includes('"per_second";q=50')) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  clock.advance(60_000)
  expect(await letIn()).toBe(15)
})
