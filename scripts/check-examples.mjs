// Starts every example as a reader does, on a free port, and waits for its first response.
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
    env: { ...env, PORT: String(port) },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (data) => (output += data))
  child.stderr.on('data', (data) => (output += data))
  try {
    for (let tries = 0; tries < 150 && child.exitCode === null; tries++) {
      const answered = await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
      if (answered) return undefined
      await sleep(200)
    }
    return `examples/${name}: expected a response within 30 seconds, got none. Its output:\n${output}`
  } finally {
    // The whole group: npm, and the server that it started.
    if (child.exitCode === null) process.kill(-child.pid)
  }
}

const faults = []
for (const name of readdirSync(join(root, 'examples'))) {
  const fault = await faultOf(name)
  if (fault) faults.push(fault)
}
finish('examples', faults)
