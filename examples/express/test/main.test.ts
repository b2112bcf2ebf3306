import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

it('what the program prints is so: its first command is limited, and it can be stopped at once', async () => {
  const child = spawn(process.execPath, ['-C', '@rail/source', '--import', 'tsx', 'src/main.ts'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, PORT: '0' },
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const [printed] = (await once(child.stdout, 'data')) as [Buffer]
  const [, key, url = ''] = /"Authorization: (Bearer \S+)" -i (\S+)/.exec(printed.toString()) ?? []
  const response = await fetch(url, { headers: { authorization: key ?? '' } })
  expect([response.status, response.headers.get('RateLimit-Policy')]).toEqual([
    200,
    expect.stringContaining('"per_second";q=10;w=1'),
  ])
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})
