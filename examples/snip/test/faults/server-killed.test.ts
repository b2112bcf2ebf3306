import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase } from '../../src/server/database.js'
import { expectEachOnce, linksFile, linksIn } from '../links-file.js'
import { type Importer, importer, script, TYPESCRIPT } from '../programs.js'

const EXAMPLE = fileURLToPath(new URL('../..', import.meta.url))

/** Snip as a process that is killed (SIGKILL) at every 25th request, its work done and its answer not sent, and started anew. */
class MortalServer {
  kills = 0
  readonly #db: string
  #port = '0'
  #child: ChildProcess | undefined
  #ended = false

  constructor(db: string) {
    this.#db = db
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  start(): Promise<void> {
    const env = { ...process.env, PORT: this.#port, SNIP_DB: this.#db, KILL_AT: '25' }
    const child = spawn(process.execPath, [...TYPESCRIPT, 'test/fast-server.ts'], { cwd: EXAMPLE, env })
    this.#child = child
    child.stderr.pipe(process.stderr)
    child.on('close', (_code, signal) => {
      if (this.#ended || signal !== 'SIGKILL') return
      this.kills++
      void setTimeout(300).then(() => this.start())
    })
    return new Promise((resolve) => {
      child.stdout.on('data', (port) => {
        this.#port = String(port).trim()
        resolve()
      })
    })
  }

  async end(): Promise<void> {
    this.#ended = true
    const closed = new Promise((resolve) => this.#child?.on('close', resolve))
    this.#child?.kill('SIGKILL')
    await closed
  }
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'snip-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it.each<[string, Importer]>([
  ['the importer', importer],
  ['the importer in bash', script],
])('%s goes on when the server is killed under it, and every link is there once', async (_, start) => {
  const path = join(folder, 'snip.db')
  const server = new MortalServer(path)
  await server.start()
  try {
    const { output, code } = await start(linksFile(folder, 100), server.url)
    expect(output).toMatch(/100 created.*, 0 done before, 0 rejected, 0 left/)
    expect(code).toBe(0)
    expect(server.kills).toBeGreaterThanOrEqual(4)
  } finally {
    await server.end()
  }
  const db = openDatabase(path)
  expectEachOnce(linksIn(db), 100)
  db.close()
})
