import { renameSync } from 'node:fs'
import { newCopyFile } from './copy-file.js'
import { openDatabase } from './database.js'
import { openSqlite, type SqliteDriver } from './sqlite.js'
import { newEpoch } from './state.js'

/**
 * Writes a whole copy of a data directory's database to a file, also while a control plane runs on it. (Copying the file
 * itself may catch it half written.) To put it back, stop the control plane, let the copy be the only `control.db` there,
 * and start: the copy has an epoch of its own, so every server gets everything that is in it.
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
