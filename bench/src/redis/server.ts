import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** A redis-server of our own. @throws where there is none on the path */
export async function startRedis(): Promise<{ port: number; stop(): void }> {
  const port = await freePort()
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''])
  const failed = once(child, 'error').then(([cause]) => {
    throw new Error('This part needs redis-server on the path (apt-get install redis-server).', { cause })
  })
  const accepts = new Promise<void>((resolve) => {
    child.stdout.on('data', (data) => {
      if (String(data).includes('Ready to accept connections')) resolve()
    })
  })
  await Promise.race([accepts, failed])
  return { port, stop: () => child.kill('SIGKILL') }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
