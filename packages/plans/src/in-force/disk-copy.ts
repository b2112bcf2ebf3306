import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import type { LoadedPlans, PlanPayload } from './loaded-plans.js'

/** The first line of a copy; its customers follow. */
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

/** A copy that was read. */
export interface Copy extends PlanPayload {
  /** When it was written, in epoch milliseconds. */
  readonly savedAt: number
}

/** The customers on a line: they are read and written together. */
const LINE = 1_000

/**
 * Writes a copy: a first line without customers, lines of customers, and a last line with the hash of all before it. The
 * file gets its name only when it is complete and on the disk, so that a process that is killed leaves a complete copy or
 * none. Processes may share a path: each writes to a temporary file of its own first.
 *
 * @param url The control plane's URL, so that a copy from another control plane is not used.
 * @throws Error (as a rejection) of the file system; the copy from before is still there
 */
export async function writeCopy(path: string, loaded: LoadedPlans, url: string, savedAt: number): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomUUID()}.tmp`
  await mkdir(dirname(path), { recursive: true })
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      const hash = createHash('sha256')
      for (const line of linesOf(loaded, url, savedAt)) {
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

/** Removes the temporary files that killed processes left: those that have not been written for ten minutes. */
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

function* linesOf({ book, plans, customers, ...rest }: LoadedPlans, url: string, savedAt: number): Generator<string> {
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
 * Reads a copy; `undefined` if there is none.
 *
 * @throws Error (as a rejection) if it is damaged, from another control plane, or not readable
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
  if (bytes.subarray(end).toString() !== JSON.stringify({ sha256 })) throw new Error('it is damaged (its hash differs)')
  const [first = '', ...lines] = bytes.toString('utf8', 0, end - 1).split('\n')
  const { format, url: ofUrl, ...rest } = head.parse(JSON.parse(first))
  if (ofUrl !== url) throw new Error(`it is from another control plane, ${ofUrl}`)
  const customers: unknown[] = []
  for (const line of lines) {
    for (const pair of z.array(z.unknown()).parse(JSON.parse(line))) customers.push(pair)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return { ...rest, customers }
}
