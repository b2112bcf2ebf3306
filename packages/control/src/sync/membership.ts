import type { SyncRequest } from '@rail/plans/sync-protocol'
import { Problem } from '../base/problem.js'
import { type Author, note } from '../records/history.js'
import type { Database, Reader, Row } from '../store/database.js'
import { COUNTED_MS, LEARNING_MS, NEW_MS, readState } from '../store/state.js'
import type { ServerInfo } from './server-schema.js'

/**
 * Stores the report of a server. It is counted from now until ten minutes after its last sync. A server that leaves is not
 * counted from then on, even if older requests arrive later.
 */
export function noteSync(db: Database, request: SyncRequest, now: number): void {
  const { instance, host, pid, sdk, startedAt, have, source, applyError, unknownScopes = [], leaving } = request
  db.run(
    `INSERT INTO server VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, 0, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
     ON CONFLICT DO UPDATE SET last_sync = excluded.last_sync, epoch = excluded.epoch, rev = excluded.rev,
       source = excluded.source, apply_error = excluded.apply_error, unknown_scopes = excluded.unknown_scopes,
       left_at = coalesce(left_at, excluded.left_at),
       counted_until = CASE WHEN left_at IS NULL THEN excluded.counted_until ELSE counted_until END`,
    instance,
    host,
    pid,
    sdk,
    startedAt,
    now,
    have?.epoch ?? null,
    have?.rev ?? null,
    source,
    applyError === undefined ? null : JSON.stringify(applyError),
    JSON.stringify(unknownScopes),
    leaving ? now : null,
    leaving ? now : now + COUNTED_MS,
  )
}

/**
 * Stores how many servers were counted by another database, as reported by a server that has its epoch. The count is at
 * least that many for two minutes from the first such report, until the other servers have had time to report. For ten
 * minutes if this database is new: the tokens were lost with the other one, so servers report as they are restarted.
 */
export function noteHearsay(db: Database, epoch: string, servers: number, now: number): void {
  const { madeAt = now } = db.first<{ madeAt: number }>('SELECT min(at) AS madeAt FROM migration') ?? {}
  db.run(
    `INSERT INTO hearsay VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET servers = max(servers, excluded.servers)`,
    epoch,
    servers,
    now + (now - madeAt < NEW_MS ? COUNTED_MS : LEARNING_MS),
  )
}

/** How many servers share a limit now: at least 1. */
export function serverCount(db: Reader, now: number): number {
  const row = db.first<{ count: number; heard: number | null }>(
    `SELECT (SELECT count(*) FROM server WHERE counted_until > ?1) AS count,
            (SELECT max(servers) FROM hearsay WHERE until > ?1) AS heard`,
    now,
  )
  return Math.max(1, row?.count ?? 0, row?.heard ?? 0)
}

/** All servers that are counted, and those of the last days that no longer are. The latest first. */
export function listServers(db: Reader): ServerInfo[] {
  return db
    .all(
      `SELECT id, host, pid, sdk, started_at AS startedAt, first_sync AS firstSync, last_sync AS lastSync, epoch, rev,
              source, apply_error AS applyError, unknown_scopes AS unknownScopes, left_at AS leftAt, counted_until AS countedUntil
       FROM server ORDER BY last_sync DESC, id`,
    )
    .map(({ applyError, unknownScopes, ...row }) => {
      return { ...row, applyError: parsed(applyError), unknownScopes: parsed(unknownScopes) ?? [] } as ServerInfo
    })
}

/** Stops counting a server that will not come back. If it does, it is counted again. @throws Problem `not_found` */
export function stopCounting(db: Database, id: string, by: Author): void {
  db.transaction(() => {
    const found = db.run('UPDATE server SET counted_until = min(counted_until, ?) WHERE id = ?', by.at, id)
    if (found === 0) throw new Problem('not_found', `There is no server ${JSON.stringify(id)}.`)
    const entry = { ...by, kind: 'server', id, before: { counted: true }, after: { counted: false } } as const
    note(db, readState(db).rev, entry)
  })
}

function parsed(text: Row[string] | undefined): unknown {
  return typeof text === 'string' ? JSON.parse(text) : null
}
