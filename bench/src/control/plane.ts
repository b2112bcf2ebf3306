// The control plane under load, in a process of its own, which says how its event loop and its memory fare when asked.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { startControlPlane } from '@rail/control'

const data = mkdtempSync(join(tmpdir(), 'rail-bench-'))
process.once('exit', () => rmSync(data, { recursive: true, force: true }))

const control = await startControlPlane({ data, port: 0 })
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
let cpu = process.cpuUsage()

process.on('message', () => {
  const { user, system } = process.cpuUsage(cpu)
  process.send?.({
    p50: delay.percentile(50) / 1e6,
    p99: delay.percentile(99) / 1e6,
    max: delay.max / 1e6,
    cpuMs: (user + system) / 1_000,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
  })
  delay.reset()
  cpu = process.cpuUsage()
})
process.once('disconnect', () => process.exit(0))
process.send?.({ url: control.url, ...control.firstTokens })
