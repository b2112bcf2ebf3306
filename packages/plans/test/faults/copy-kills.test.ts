import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readCopy } from '../../src/disk-copy.js'

/** A thousand take minutes, most of it the starting of processes: `RAIL_KILLS=1000 npx npm run test:faults -- copy-kills`. */
const KILLS = Number(process.env.RAIL_KILLS ?? 10)

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rail-kills-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

/** Starts a writer, and kills it at some moment of its writing. Gives how many copies it had begun. */
function killed(path: string, turns: number): Promise<number> {
  const args = ['-C', '@rail/source', '--import', 'tsx', join(import.meta.dirname, '../support/copy-writer.ts'), path]
  const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve) => {
    let said = ''
    writer.stdout.on('data', async (data) => {
      said += data
      if (!said.startsWith('1\n2\n')) return
      for (let turn = 0; turn < turns; turn++) await new Promise((next) => setImmediate(next))
      writer.kill('SIGKILL')
    })
    writer.on('close', () => resolve(said.trim().split('\n').length))
  })
}

test(`after a kill -9 at any moment of its writing the copy is whole (${KILLS} kills)`, {
  timeout: 60_000 + KILLS * 10_000,
}, async () => {
  const path = join(folder, 'plans.copy')
  for (let kill = 0; kill < KILLS; kill++) {
    const begun = await killed(path, (kill * 37) % 400)
    const copy = await readCopy(path, 'http://127.0.0.1/')
    expect(copy?.customers).toHaveLength(3_000)
    expect([begun - 1, begun]).toContain(copy?.rev)
  }
})
