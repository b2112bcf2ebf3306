import type { ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createClient } from '@rail/client'
import { afterEach, describe, expect, it } from 'vitest'
import { rowsOf } from '../../src/importer/csv.js'
import { importLinks, type Summary } from '../../src/importer/import-links.js'
import { Journal } from '../../src/importer/journal.js'
import { FaultyServer } from '../faulty-server.js'
import { expectEachOnce, linksFile } from '../links-file.js'
import { end, importer, script } from '../programs.js'

let server: FaultyServer
afterEach(() => server.remove())

async function serverWith(faults: number): Promise<FaultyServer> {
  server = new FaultyServer(faults)
  await server.start()
  return server
}

function importFile(file: string, signal = new AbortController().signal): Promise<Summary> {
  return importLinks({
    rows: rowsOf(readFileSync(file, 'utf8')),
    journal: new Journal(`${file}.progress`),
    client: createClient({ retries: 20, retryReserve: 200, backoff: { base: '50ms', cap: '1s' }, spread: 0 }),
    url: server.url,
    apiKey: 'snip_free_ada',
    signal,
  })
}

/** Ends a program once so many requests have come. */
function endAfter(requests: number, signal: NodeJS.Signals): (child: ChildProcess) => void {
  return (child) => {
    server.onRequest = (count) => {
      if (count === requests) end(child, signal)
    }
  }
}

describe('the importer', () => {
  it('creates each link exactly once, whatever answers are lost, and is not refused', async () => {
    await serverWith(0.15)
    const summary = await importFile(linksFile(server.folder, 200))
    expect(summary).toMatchObject({ total: 200, created: 200, before: 0, rejected: [], failed: 0, stopped: undefined })
    expectEachOnce(server.links(), 200)
    for (const times of Object.values(server.fates)) expect(times).toBeGreaterThan(0)
    expect(server.refused).toBeLessThanOrEqual(2)
  })

  it('goes on when the server is restarted under it', async () => {
    await serverWith(0.05)
    const restarts: Promise<void>[] = []
    const restart = async (): Promise<void> => {
      await server.stop()
      await setTimeout(500)
      await server.start()
    }
    server.onRequest = (count) => {
      if (count === 40 || count === 100) restarts.push(restart())
    }
    const summary = await importFile(linksFile(server.folder, 150))
    await Promise.all(restarts)
    expect(restarts).toHaveLength(2)
    expect(summary).toMatchObject({ created: 150, failed: 0, stopped: undefined })
    expectEachOnce(server.links(), 150)
  })

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'stopped by %s and run again, goes on where it was and creates none twice',
    async (signal) => {
      await serverWith(0.05)
      const file = linksFile(server.folder, 120)
      const first = await importer(file, server.url, endAfter(50, signal))
      expect(first.code).toBe(signal === 'SIGINT' ? 130 : null)
      if (signal === 'SIGINT')
        expect(first.output).toMatch(/Stopped\.\n\d+ created in .* left\.\nRun it again to go on/)
      const second = await importer(file, server.url)
      expect(second.code).toBe(0)
      expect(second.output).toMatch(/^\d+ links to create on the free plan: 1 minute at 3,000 a minute\n/)
      const [, created, before] =
        /Done\.\n(\d+) created in .*, (\d+) done before, 0 rejected, 0 left\./.exec(second.output) ?? []
      expect(Number(created) + Number(before)).toBe(120)
      expect(Number(before)).toBeGreaterThan(20)
      expectEachOnce(server.links(), 120)
    },
  )

  it('tells which rows were rejected and why, and does not ask again', async () => {
    await serverWith(0)
    const file = join(server.folder, 'links.csv')
    writeFileSync(
      file,
      'slug,url\none,https://example.org/0\none,https://example.org/1\n"two","javascript:alert(1)"\n\n,"https://example.org/a,b"',
    )
    const summary = await importFile(file)
    expect(summary.created + summary.rejected.length).toBe(4)
    expect(summary.rejected.map(({ line }) => line)).toContain(4)
    expect(summary.rejected.map(({ reason }) => reason).join()).toMatch(
      /Another link has the slug one.*leads to an http/,
    )
    expect(server.links().get('https://example.org/a,b')).toBe(1)
    expect(await importFile(file)).toMatchObject({ created: 0, before: 4, rejected: [] })
  })

  it('stops when the server is away for good, and says so', async () => {
    await serverWith(0)
    const file = linksFile(server.folder, 50)
    await server.stop()
    const client = createClient({ retries: 1, backoff: { base: '1ms' } })
    const rows = rowsOf(readFileSync(file, 'utf8'))
    const summary = await importLinks({
      ...{ rows, client, url: server.url, apiKey: 'snip_free_ada' },
      journal: new Journal(`${file}.progress`),
      signal: new AbortController().signal,
    })
    expect(summary.stopped).toMatch(/^The server cannot be reached: .*The last 10 rows failed\.$/)
    await server.start()
    expect(await importFile(file)).toMatchObject({ created: 50, stopped: undefined })
  })
})

describe('the importer in bash', () => {
  it('creates each link exactly once, whatever answers are lost', async () => {
    await serverWith(0.15)
    const { code, output } = await script(linksFile(server.folder, 60), server.url)
    expect(output).toMatch(/60 created, 0 done before, 0 rejected, 0 left/)
    expect(code).toBe(0)
    expectEachOnce(server.links(), 60)
    for (const times of Object.values(server.fates)) expect(times).toBeGreaterThan(0)
    expect(server.refused).toBeLessThanOrEqual(2)
  })

  it.each(['SIGINT', 'SIGKILL'] as const)('ended by %s and run again, goes on where it was', async (signal) => {
    await serverWith(0.02)
    const file = linksFile(server.folder, 60)
    const first = await script(file, server.url, endAfter(25, signal))
    expect(first.code).toBe(signal === 'SIGINT' ? 130 : null)
    if (signal === 'SIGINT') expect(first.output).toMatch(/^\d\d created, 0 done before, 0 rejected, \d\d left$/m)
    const { code, output } = await script(file, server.url)
    const [, created, before] = /(\d+) created, (\d+) done before, 0 rejected, 0 left/.exec(output) ?? []
    expect(Number(created) + Number(before)).toBe(60)
    expect(Number(before)).toBeGreaterThan(10)
    expect(code).toBe(0)
    expectEachOnce(server.links(), 60)
  })
})
