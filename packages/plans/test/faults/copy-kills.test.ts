import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCopy } from '../../src/in-force/disk-copy.js'

/** `RAIL_KILLS=1000` is the long proof. */
const KILLS = Number(process.env.RAIL_KILLS ?? 250)
/** So many writers at a time, each with a copy of its own: they mostly start. */
const WRITERS = 4

let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rail-kills-'))
  // One file, since so many starts from sources would take minutes.
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, resolve: { conditions: ['@rail/source'] } },
    build: { ssr: join(import.meta.dirname, '../support/copy-writer.ts'), outDir: folder, emptyOutDir: false },
  })
})

afterAll(() => rmSync(folder, { recursive: true }))

/** Starts a writer, and kills it at some moment of its writing. Gives how many copies it had begun. */
function killed(path: string, turns: number): Promise<number> {
  const writer = spawn(process.execPath, [join(folder, 'copy-writer.js'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve) => {
    let said = ''
    let killing = false
    writer.stdout.on('data', async (data) => {
      said += data
      if (killing || !said.startsWith('1\n2\n')) return
      killing = true
      for (let turn = 0; turn < turns; turn++) await new Promise((next) => setImmediate(next))
      writer.kill('SIGKILL')
    })
    writer.on('close', () => resolve(said.trim().split('\n').length))
  })
}

test(`after a kill -9 at any moment of its writing the copy is whole (${KILLS} kills)`, {
  timeout: 60_000 + KILLS * 2_000,
}, async () => {
  let kill = 0
  let unfinished = 0
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const path = join(folder, `plans-${writer}.copy`)
      while (kill < KILLS) {
        const begun = await killed(path, (kill++ * 37) % 400)
        const copy = await readCopy(path, 'http://127.0.0.1/')
        expect(copy?.customers).toHaveLength(3_000)
        expect([begun - 1, begun]).toContain(copy?.rev)
        if (copy?.rev === begun - 1) unfinished++
      }
    }),
  )
  // Most are hit in the midst of a write, or this would show nothing.
  expect(unfinished).toBeGreaterThan(KILLS / 2)
})
