import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { aServer, dataDirectory } from '../support.js'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

/** The program itself, in a process of its own. */
async function serve(...args: string[]) {
  const child = spawn(process.execPath, [
    '-C',
    '@rail/source',
    '--import',
    'tsx',
    CLI,
    'serve',
    '--port',
    '0',
    '--json',
    ...args,
  ])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const printed = { text: '' }
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      printed.text += data.toString()
    })
  }
  await once(child.stdout, 'data')
  const { url, tokens } = JSON.parse(printed.text) as { url: string; tokens: { admin: string; sync: string } | null }
  return { child, url, tokens, printed }
}

test('serve starts with nothing but a directory, prints its tokens once, and ends cleanly on SIGTERM', async () => {
  const data = dataDirectory()
  const first = await serve('--data', data)
  expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(first.tokens?.admin).toMatch(/^rail_admin_/)
  first.child.kill('SIGTERM')
  expect(await once(first.child, 'exit')).toEqual([0, null])
  const second = await serve('--data', data)
  expect(second.tokens).toBeNull()
  const authorization = `Bearer ${first.tokens?.admin}`
  expect((await fetch(`${second.url}/v1/plans`, { headers: { authorization } })).status).toBe(200)
})

test('no token is ever logged: not a good one, not a bad one, not in an error', async () => {
  const { url, tokens, printed, child } = await serve('--data', dataDirectory())
  const before = printed.text
  for (const token of [tokens?.admin, tokens?.sync, 'rail_admin_secret', 'secret']) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    await (await fetch(`${url}/v1/plans`, { headers })).text()
    await (await fetch(`${url}/v1/nothing?token=${token}`, { headers })).text()
    await (await fetch(`${url}/v1/sync`, { method: 'POST', headers, body: JSON.stringify(aServer('a')) })).text()
    await (await fetch(`${url}/v1/sync`, { method: 'POST', headers, body: '{' })).text()
  }
  child.kill('SIGTERM')
  await once(child, 'exit')
  expect(printed.text).toBe(before)
})

test('a control plane that is killed has stored what it acknowledged', async () => {
  const data = dataDirectory()
  const { url, tokens, child } = await serve('--data', data)
  const headers = { authorization: `Bearer ${tokens?.admin}`, 'content-type': 'application/json' }
  for (let number = 1; number <= 20; number++) {
    const body = JSON.stringify({ limits: { per_second: number } })
    expect((await fetch(`${url}/v1/plans/free`, { method: 'PUT', headers, body })).status).toBe(200)
  }
  child.kill('SIGKILL')
  await once(child, 'exit')
  const again = await serve('--data', data)
  expect(await (await fetch(`${again.url}/v1/plans/free`, { headers })).json()).toMatchObject({
    rev: 20,
    limits: { per_second: 20 },
  })
})
