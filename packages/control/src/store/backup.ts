import { renameSync } from 'node:fs'
import { newCopyFile } from './copy-file.js'
import { openDatabase } from './database.js'
import { openSqlite, type SqliteDriver } from './sqlite.js'
import { newEpoch } from './state.js'

/**
 * Writes a whole copy of a data directory's database to a file, also while a control plane runs on it. (A copy of the file
 * itself may be half written.) To restore it, stop the control plane, replace everything in the directory by the copy as
 * `control.db`, and start. The copy has an epoch of its own, so every server gets all of it.
 */
export async function backUp(directory: string, file: string, now: number, driver?: SqliteDriver): Promise<void> {
  const db = await openDatabase({ directory, driver, now })
  let unfinished: string
  try {
    unfinished = newCopyFile(file)
    db.run('VACUUM INTO ?', unfinished)
  } finally {
    db.close()
  }
  const copy = await openSqlite(unfinished, driver)
  copy.prepare('UPDATE state SET epoch = ?').run(newEpoch())
  copy.close()
  renameSync(unfinished, file)
}
