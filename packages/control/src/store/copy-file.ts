import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'

/**
 * Creates the empty file that `VACUUM INTO` fills, beside its final path, and returns its own path. It is for the owner
 * only, as the database is: a file that SQLite creates could be read by every user of the machine.
 */
export function newCopyFile(path: string): string {
  const unfinished = `${path}.${process.pid}.${randomUUID()}`
  writeFileSync(unfinished, '', { mode: 0o600, flag: 'wx' })
  return unfinished
}
