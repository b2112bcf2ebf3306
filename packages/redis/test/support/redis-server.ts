import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A redis-server of our own, on 127.0.0.1, that keeps nothing. */
export interface RedisServer {
  readonly port: number
  readonly process: ChildProcess
  /** The same port again, empty. Only after it has ended. */
  restart(): Promise<void>
  kill(signal: NodeJS.Signals): void
  stop(): Promise<void>
}

const running = new Set<ChildProcess>()
// A test that fails may not come to stop its servers.
process.once('exit', stopRedisServers)

/** Stops what this process has started and not stopped. */
export function stopRedisServers(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Whether there is a redis-server on the path. */
export function hasRedisServer(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Starts a redis-server and waits until it accepts connections. */
export async function startRedisServer(more: readonly string[] = [], port?: number): Promise<RedisServer> {
  const directory = mkdtempSync(join(tmpdir(), 'rail-redis-'))
  const ownPort = port ?? (await freePort())
  let child = await launch(ownPort, directory, more)
  const server: RedisServer = {
    port: ownPort,
    get process() {
      return child
    },
    async restart() {
      child = await launch(ownPort, directory, more)
    },
    kill(signal) {
      child.kill(signal)
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return server
}

async function launch(port: number, directory: string, more: readonly string[]): Promise<ChildProcess> {
  const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory]
  const child = spawn('redis-server', [...fixed, ...more], { stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  child.once('exit', () => running.delete(child))
  let log = ''
  for await (const chunk of child.stdout) {
    log += String(chunk)
    if (log.includes('Ready to accept connections')) break
  }
  if (!log.includes('Ready to accept connections')) throw new Error(`redis-server did not start:\n${log}`)
  return child
}

/** A port that was free a moment ago; below 55536, since a cluster's bus is at the port plus 10000. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    server.close()
    await once(server, 'close')
    if (typeof address === 'object' && address !== null && address.port < 55_536) return address.port
  }
}
