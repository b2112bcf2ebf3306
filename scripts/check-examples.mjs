// Starts every example as a reader does, on a free port, and calls the address that it prints at once: it must answer. Then
// it is stopped at once, and must end.
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { env, finish, root } from './workspace.mjs'

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

async function faultOf(name) {
  const port = await freePort()
  const child = spawn('npm', ['start'], {
    cwd: join(root, 'examples', name),
    env: { ...env, PORT: String(port), SECONDS: '1' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const isOver = Promise.race([ended, sleep(60_000)]).then(() => undefined)
  let output = ''
  const printed = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        output += data
        const [address] = new RegExp(`http://(?:localhost|127\\.0\\.0\\.1):${port}\\b`).exec(output) ?? []
        if (address !== undefined) resolve(address)
      })
    }
  })
  const fault = (expected) => `examples/${name}: expected ${expected}, got none. Its output:\n${output}`
  try {
    const address = await Promise.race([printed, isOver])
    if (address === undefined) return fault('its address within a minute')
    const response = await fetch(address).catch(() => undefined)
    if (response === undefined) return fault(`a response at ${address} as soon as it is printed`)
    process.kill(-child.pid)
    const isEnded = await Promise.race([ended.then(() => true), sleep(30_000)])
    if (!isEnded) return fault('an end within 30 seconds of SIGTERM')
    return undefined
  } finally {
    // The whole group: npm, and the server that it started.
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
  }
}

const faults = []
for (const name of readdirSync(join(root, 'examples'))) {
  const fault = await faultOf(name)
  if (fault) faults.push(fault)
}
finish('examples', faults)
