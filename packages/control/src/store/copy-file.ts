import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'

/**
 * Makes the empty file that `VACUUM INTO` is to fill, beside the path that it gets once it is whole. It is for the owner
 * alone, as the database is: made by SQLite it would be for whoever has the machine. Gives its path.
 */
export function newCopyFile(path: string): string {
  const unfinished = `${path}.${process.pid}.${randomUUID()}`
  writeFileSync(unfinished, '', { mode: 0o600, flag: 'wx' })
  return unfinished
}
