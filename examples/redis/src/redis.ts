import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** A Redis to use: that of `REDIS_URL`, else one of our own that ends with us. */
export async function openRedis(): Promise<{ url: string; stop(): void }> {
  const { REDIS_URL } = process.env
  if (REDIS_URL !== undefined) return { url: REDIS_URL, stop: () => {} }
  const port = await freePort()
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''])
  await ready(child)
  return { url: `redis://127.0.0.1:${port}`, stop: () => child.kill() }
}

async function ready(child: ChildProcess): Promise<void> {
  const failed = once(child, 'error').then(([cause]) => {
    throw new Error('This example needs redis-server (apt-get install redis-server), or REDIS_URL.', { cause })
  })
  const accepts = new Promise<void>((resolve) => {
    child.stdout?.on('data', (data) => {
      if (String(data).includes('Ready to accept connections')) resolve()
    })
  })
  await Promise.race([accepts, failed])
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
