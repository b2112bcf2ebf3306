import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
const [first = '', second = ''] = [...readme.matchAll(/^```[jt]s no-run\n(.*?)^```/gms)].map(([, code]) => code)
const [shown = ''] = [...readme.matchAll(/^```http\n(.*?)^```/gms)].map(([, response]) => response)

let server: Server | undefined
afterEach(() => {
  server?.close()
  server?.closeAllConnections()
})

/** Runs a snippet as it stands, but on a free port. Resolves with its address. */
async function start(code: string, extension: string): Promise<string> {
  expect(code).toContain('app.listen(3000)')
  const file = new URL(`.readme.${extension}`, import.meta.url)
  writeFileSync(file, code.replace('app.listen(3000)', "export const server = app.listen(0, '127.0.0.1')"))
  try {
    server = ((await import(file.pathname)) as { server: Server }).server
  } finally {
    rmSync(file)
  }
  if (!server.listening) await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Sends 30 requests at once. Resolves with how many were allowed, and with a refusal. */
async function flood(url: string, headers: Record<string, string> = {}): Promise<[number, Response]> {
  const responses = await Promise.all(Array.from({ length: 30 }, () => fetch(url, { headers })))
  const refused = responses.find(({ status }) => status === 429)
  if (refused === undefined) throw new Error('all were allowed')
  return [responses.filter(({ status }) => status === 200).length, refused]
}

it('the first snippet of the README runs, and its refusal is the one that the README shows', async () => {
  const [allowed, refused] = await flood(await start(first, 'mjs'))
  expect(allowed).toBeGreaterThanOrEqual(10)
  const lines = shown.trimEnd().split('\n')
  for (const name of ['RateLimit-Policy', 'Retry-After', 'Cache-Control', 'Content-Type']) {
    expect(lines).toContain(`${name}: ${refused.headers.get(name)}`)
  }
  const numbers = /"per_second";r=\d+;t=\d+, "per_minute";r=\d+;t=\d+$/
  expect(refused.headers.get('RateLimit')).toMatch(numbers)
  expect(lines.find((line) => line.startsWith('RateLimit: '))).toMatch(numbers)
  expect(lines.at(-1)).toBe(await refused.text())
})

it('the second snippet of the README limits by API key and plan', async () => {
  const url = await start(second, 'ts')
  expect((await fetch(url)).status).toBe(401)
  const [allowed, refused] = await flood(url, { 'X-API-Key': 'demo' })
  expect(allowed).toBeGreaterThanOrEqual(10)
  expect(refused.headers.get('RateLimit-Policy')).toBe('"per_second";q=10;w=1, "per_minute";q=300;w=60')
})
