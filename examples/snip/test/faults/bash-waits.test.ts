import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { script } from '../programs.js'

it('the importer in bash waits as it is told: after a refusal or a failure, where nothing is left, and a little where little is', async () => {
  const answers = [
    [429, { 'Retry-After': '1' }],
    [201, { 'RateLimit-Limit': '20', 'RateLimit-Remaining': '0', 'RateLimit-Reset': '1' }],
    [503, { 'Retry-After': '1' }],
    // A bucket: 18 are there again in 11 seconds, so one is in 0.6.
    [201, { 'RateLimit-Limit': '20', 'RateLimit-Remaining': '2', 'RateLimit-Reset': '11' }],
    [201, {}],
  ] as const
  const times: number[] = []
  const server = createServer((_request, response) => {
    const [status, headers] = answers[times.push(performance.now()) - 1] ?? [500, {}]
    response.writeHead(status, headers).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = mkdtempSync(join(tmpdir(), 'snip-'))
  const file = join(folder, 'links.csv')
  writeFileSync(file, 'url,slug\nhttps://example.org/1,\nhttps://example.org/2,\nhttps://example.org/3,\n')
  const { code } = await script(file, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true })

  expect([code, times.length]).toEqual([0, 5])
  const waits = times.slice(1).map((time, nth) => time - (times[nth] ?? 0))
  for (const [nth, least] of [1_000, 1_000, 1_000, 611].entries()) expect(waits[nth]).toBeGreaterThanOrEqual(least)
})
