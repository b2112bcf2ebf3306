import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import type { Held, Whole } from './loaded-plans.js'

/** What a copy says of itself, before its customers. */
const head = z.strictObject({
  format: z.literal(1),
  url: z.string(),
  savedAt: z.int().min(0),
  epoch: z.string().min(1),
  rev: z.int().min(0),
  setting: z.enum(['each', 'split']),
  servers: z.int().min(1),
  defaultPlan: z.string().nullable(),
  plans: z.array(z.unknown()),
})

/** What was read from a copy. */
export interface Copy extends Whole {
  /** When it was written, in epoch milliseconds. */
  readonly savedAt: number
}

/** How many customers are on a line, and so read and written at a stretch. */
const LINE = 1_000

/**
 * Writes a copy: a line that says what it is, lines of customers, and a last line with the hash of all before it. The file
 * has its name only once it is whole and on the disk, so that whoever reads it, and whenever this is killed, there is a
 * whole copy or none. Processes may share a name: each writes under one of its own first.
 *
 * @param url The control plane's, so that a copy of another's is not taken for this one's.
 * @throws Error (as a rejection) of the file system; the copy that was there is still there
 */
export async function writeCopy(path: string, held: Held, url: string, savedAt: number): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomUUID()}.tmp`
  await mkdir(dirname(path), { recursive: true })
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      const hash = createHash('sha256')
      for (const line of linesOf(held, url, savedAt)) {
        hash.update(line)
        await file.writeFile(line)
      }
      await file.writeFile(JSON.stringify({ sha256: hash.digest('hex') }))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error
  }
}

/** Removes what killed processes left of their writing: temporary files of this copy that nobody has written for long. */
export async function clearLeftovers(path: string): Promise<void> {
  const names = await readdir(dirname(path)).catch((): string[] => [])
  for (const name of names) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith('.tmp')) continue
    const leftover = join(dirname(path), name)
    const { mtimeMs } = await stat(leftover).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (Date.now() - mtimeMs > LONGEST_WRITE_MS) await unlink(leftover).catch(() => {})
  }
}

const LONGEST_WRITE_MS = 600_000

function* linesOf({ book, plans, customers, ...rest }: Held, url: string, savedAt: number): Generator<string> {
  yield `${JSON.stringify({ format: 1, url, savedAt, ...rest, plans: [...plans] })}\n`
  let some: unknown[] = []
  for (const pair of customers) {
    if (some.push(pair) < LINE) continue
    yield `${JSON.stringify(some)}\n`
    some = []
  }
  if (some.length > 0) yield `${JSON.stringify(some)}\n`
}

/**
 * Reads a copy. `undefined`: there is none.
 *
 * @throws Error (as a rejection) for one that is damaged, of another control plane, or not readable
 */
export async function readCopy(path: string, url: string): Promise<Copy | undefined> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const end = bytes.lastIndexOf(0x0a) + 1
  const sha256 = createHash('sha256').update(bytes.subarray(0, end)).digest('hex')
  if (bytes.subarray(end).toString() !== JSON.stringify({ sha256 }))
    throw new Error('it is damaged: its hash is another')
  const [first = '', ...lines] = bytes.toString('utf8', 0, end - 1).split('\n')
  const { format, url: ofUrl, ...said } = head.parse(JSON.parse(first))
  if (ofUrl !== url) throw new Error(`it is of another control plane, ${ofUrl}`)
  const customers: unknown[] = []
  for (const line of lines) {
    for (const pair of z.array(z.unknown()).parse(JSON.parse(line))) customers.push(pair)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return { ...said, customers }
}
