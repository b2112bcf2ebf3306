import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const PATH = [process.env.PATH, '/usr/sbin', '/usr/local/sbin'].join(delimiter)

function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { env: { ...process.env, PATH }, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const SECONDS = 3
/** What a bucket of so many tokens, refilled so fast, lets in per second at most over that time, however it was asked. */
const most = (tokens: number): number => (tokens + tokens * SECONDS) / SECONDS

it.skipIf(!hasNginx())(
  'what a client gets is at most the limit of the processes that it meets: pinned to one by a connection, one share',
  async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    server.close()
    const port = typeof address === 'object' ? address?.port : 0
    const child = spawn(process.execPath, ['-C', '@rail/source', '--import', 'tsx', 'src/main.ts'], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { ...process.env, PORT: String(port), SECONDS: String(SECONDS) },
    })
    // Not SIGKILL: it ends nginx and the processes behind it.
    onTestFinished(() => {
      child.kill('SIGTERM')
    })
    let output = ''
    const ended = new Promise<void>((resolve) => {
      const hear = (data: unknown): void => {
        output += String(data)
        if (output.includes('Ctrl+C ends it')) resolve()
      }
      child.stdout.on('data', hear)
      child.stderr.on('data', hear)
      child.once('exit', () => resolve())
    })
    await ended
    const rows = [...output.matchAll(/^(each|split) +(by request|by connection) +(\d+) connections? +([\d.]+)$/gm)]
    const letIn = rows.map(([, setting, balancing, connections, rate]) => [
      `${setting} ${balancing} ${connections}`,
      Number(rate),
    ])
    expect(letIn, output).toEqual([
      ['each by request 1', expect.toSatisfy(between(10, most(4 * 10)))],
      ['each by connection 1', expect.toSatisfy(between(3, most(10)))],
      ['each by connection 32', expect.toSatisfy(between(10, most(4 * 10)))],
      ['split by request 1', expect.toSatisfy(between(3, most(4 * 3)))],
      ['split by connection 1', expect.toSatisfy(between(1, most(3)))],
      ['split by connection 32', expect.toSatisfy(between(3, most(4 * 3)))],
    ])
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    expect((await exit)[0]).toBe(0)
  },
  120_000,
)

function between(least: number, most: number): (rate: number) => boolean {
  return (rate) => rate >= least && rate <= most
}
