import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'])
    return true
  } catch {
    return false
  }
}

it.skipIf(!hasRedis())(
  'four servers let in what one would, to the request',
  async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    server.close()
    const port = typeof address === 'object' ? address?.port : 0
    const child = spawn(process.execPath, ['-C', '@rail/source', '--import', 'tsx', 'src/main.ts'], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { ...process.env, PORT: String(port), SECONDS: '2' },
    })
    let output = ''
    child.stdout.on('data', (data) => {
      output += String(data)
    })
    child.stderr.on('data', (data) => {
      output += String(data)
    })
    const [code] = await once(child, 'exit')
    expect([code, output]).toEqual([0, expect.stringContaining('The sum is exact.')])
    for (const id of [1, 2, 3, 4]) expect(output).toMatch(new RegExp(`^ {5}${id} +\\d+ +\\d+$`, 'm'))
  },
  120_000,
)
