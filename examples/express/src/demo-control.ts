import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ControlPlane, DEFAULT_PORT, startControlPlane } from '@rail/control'
import type { PlanDocument } from '@rail/express'

/** A control plane inside of this process, for the demo: `npx @rail/control serve` runs one by itself. */
export interface DemoControl {
  readonly url: string
  readonly syncToken: string
  /** What stands after `npm run control --` to raise the limit of a customer for an hour. */
  readonly raise: readonly string[]
  close(): Promise<void>
}

/** Starts a control plane with these plans and customers; its data are gone when it is closed. */
export async function startDemoControl({ plans, customers = {} }: PlanDocument): Promise<DemoControl> {
  const data = mkdtempSync(join(tmpdir(), 'rail-demo-'))
  // Every second, so that nobody waits for the demo. The default is every 15.
  const start = (port: number): Promise<ControlPlane> => startControlPlane({ data, port, syncEvery: '1s' })
  const control = await start(DEFAULT_PORT).catch(() => start(0))
  const { admin = '', sync = '' } = control.firstTokens ?? {}
  const put = async (path: string, body: unknown): Promise<void> => {
    const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
    const answer = await fetch(control.url + path, { method: 'PUT', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(await answer.text())
  }
  for (const [name, plan] of Object.entries(plans)) await put(`/v1/plans/${name}`, plan)
  for (const [id, customer] of Object.entries(customers)) await put(`/v1/customers/${id}`, customer)
  const where = control.url.endsWith(`:${DEFAULT_PORT}`) ? [] : ['--url', control.url]
  return {
    url: control.url,
    syncToken: sync,
    raise: [
      'override',
      'set',
      'acme',
      '--per-second',
      '50',
      '--for',
      '1h',
      '--reason',
      'launch',
      ...where,
      '--token',
      admin,
    ],
    close: async () => {
      await control.close()
      rmSync(data, { recursive: true, force: true })
    },
  }
}
