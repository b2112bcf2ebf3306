// 10 per second for one customer, on 4 processes behind nginx: what a client really gets.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startControlPlane } from '@rail/control'
import { letInPerSecond } from './client.js'
import { type Balancing, startNginx } from './nginx.js'

const PROCESSES = 4
const SECONDS = Number(process.env.SECONDS ?? 5)
/** The client asks for much more than it may. */
const RATE = 100

const port = Number(process.env.PORT ?? 3000)
const data = mkdtempSync(join(tmpdir(), 'rail-example-'))
// Servers ask every second here, so that nobody has to wait for a change of the setting. The default is 15 seconds.
const control = await startControlPlane({ data, port: 0, syncEvery: '1s' })
const { admin = '', sync = '' } = control.firstTokens ?? {}

async function tell(method: string, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
  const response = await fetch(control.url + path, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function startApi(): Promise<{ child: ChildProcess; at: number }> {
  const at = await freePort()
  const env = { ...process.env, PORT: String(at), CONTROL_URL: control.url, SYNC_TOKEN: sync }
  const child = fork(new URL('api.ts', import.meta.url), { env })
  await once(child, 'message')
  return { child, at }
}

await tell('PUT', '/v1/plans/free', { limits: { per_second: 10 } })
await tell('PUT', '/v1/customers/acme', { plan: 'free' })
const apis = await Promise.all(Array.from({ length: PROCESSES }, startApi))
const ports: Record<Balancing, number> = { 'by request': port, 'by connection': await freePort() }
const nginx = await startNginx(
  ports,
  apis.map(({ at }) => at),
)

console.log(`One customer, 10 per second, on ${PROCESSES} processes behind nginx. The client asks ${RATE} times a second.

setting  nginx balances  the client has     let in per second`)
for (const setting of ['each', 'split'] as const) {
  await tell('PATCH', '/v1/settings', { servers: setting })
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  for (const [balancing, connections] of [
    ['by request', 1],
    ['by connection', 1],
    ['by connection', 32],
  ] as const) {
    const letIn = await letInPerSecond(`http://127.0.0.1:${ports[balancing]}/`, connections, RATE, SECONDS)
    const client = `${connections} connection${connections === 1 ? '' : 's'}`
    console.log(`${setting.padEnd(8)} ${balancing.padEnd(15)} ${client.padEnd(18)} ${letIn.toFixed(1)}`)
  }
}
process.once('SIGINT', end)
process.once('SIGTERM', end)
console.log(`
nginx goes on at http://localhost:${port}; Ctrl+C ends it.`)

async function end(): Promise<void> {
  for (const { child } of apis) child.disconnect()
  await nginx.stop()
  await control.close()
  rmSync(data, { recursive: true, force: true })
  process.exit(0)
}
