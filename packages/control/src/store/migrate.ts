import { createHash } from 'node:crypto'
import { renameSync } from 'node:fs'
import { RailError } from '@rail/core'
import { newCopyFile } from './copy-file.js'
import { MIGRATIONS, type Migration } from './migrations.js'
import type { Sqlite } from './sqlite.js'

/**
 * Brings the schema up to date, under the write lock: of two control planes that start at once, one waits and finds
 * nothing to do. Each step is recorded with a checksum, and is applied whole or not at all. Forward only.
 *
 * A database that is in use is copied to `<path>.before-<step>` before it is changed.
 *
 * @throws RailError `RAIL_NEWER_DATABASE` if a newer Rail has changed the database, or an applied step was different
 */
export function migrate(db: Sqlite, path: string, now: number, migrations: readonly Migration[] = MIGRATIONS): void {
  const { name: next } = missing(db, migrations)[0] ?? {}
  if (next === undefined) return
  if (applied(db).length > 0) copyTo(`${path}.before-${next}`, db)
  db.exec('BEGIN IMMEDIATE')
  try {
    db.exec('CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, checksum TEXT, at INTEGER) STRICT')
    for (const step of missing(db, migrations)) {
      db.exec(step.sql)
      db.prepare('INSERT INTO migration VALUES (?, ?, ?)').run(step.name, checksumOf(step), now)
    }
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

/** A whole copy, or none. */
function copyTo(path: string, db: Sqlite): void {
  const unfinished = newCopyFile(path)
  db.prepare('VACUUM INTO ?').run(unfinished)
  renameSync(unfinished, path)
}

/** The steps that have not been applied yet. @throws RailError `RAIL_NEWER_DATABASE` */
function missing(db: Sqlite, migrations: readonly Migration[]): readonly Migration[] {
  const done = applied(db)
  done.forEach(({ name, checksum }, index) => {
    const step = migrations[index]
    if (step?.name === name && checksumOf(step) === checksum) return
    throw new RailError(
      'RAIL_NEWER_DATABASE',
      `Database: expected migrations of this version of @rail/control, got ${
        step?.name === name ? `another form of "${name}"` : `"${name}"`
      }. Start the version that made it, or a newer one. To go back to an older version, restore the copy it left.`,
    )
  })
  return migrations.slice(done.length)
}

function applied(db: Sqlite): { name: string; checksum: string }[] {
  const [table] = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'migration'").all()
  if (table === undefined) return []
  const rows = db.prepare('SELECT name, checksum FROM migration ORDER BY rowid').all()
  return rows as { name: string; checksum: string }[]
}

function checksumOf({ sql }: Migration): string {
  return createHash('sha256').update(sql).digest('hex')
}
