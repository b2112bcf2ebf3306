import type { SyncRequest } from '@rail/plans/sync-protocol'
import { isStorable } from '../base/storable.js'
import type { Settings } from '../plans/plan-schemas.js'
import { readSettings } from '../plans/settings.js'
import { takeReport } from '../records/reports.js'
import type { Database } from '../store/database.js'
import { beat, nextRev, readState, renewEpoch, type State } from '../store/state.js'
import { noteHearsay, noteSync, serverCount } from './membership.js'

/** What every kind of answer contains. */
export interface Noted {
  readonly state: State
  readonly settings: Settings
  /** How many servers share a limit, this one included. */
  readonly servers: number
  /** The number of the report that is counted. `undefined`: there was none, or it could not be stored. */
  readonly ackSeq: number | undefined
}

/** At most this many customers are stored because a server saw them: anybody may call an API with any id. */
const MOST_CUSTOMERS = 500_000
/** A longer id is not valid in the admin API. */
const LONGEST_ID = 1_024

/** Stores everything that a server reports, in one transaction. */
export function noteAll(db: Database, request: SyncRequest, now: number): Noted {
  return db.transaction(() => {
    const { instance, have, servers = 1, report } = request
    beat(db, now)
    const { epoch, rev } = readState(db)
    // The server has a later revision: the database is an older copy.
    if (have?.epoch === epoch && have.rev > rev) renewEpoch(db)
    if (have !== undefined && have.epoch !== readState(db).epoch) noteHearsay(db, have.epoch, servers, now)
    noteSync(db, request, now)
    const ackSeq = report && takeReport(db, instance, report, now)
    if (report !== undefined && rev > 0) addCustomers(db, report.unknown, now)
    return { state: readState(db), settings: readSettings(db), servers: serverCount(db, now), ackSeq }
  })
}

/** Stores customers that a server saw for the first time. Its answer then has them, and people can find them. */
function addCustomers(db: Database, ids: readonly string[], now: number): void {
  if (ids.length === 0) return
  const list = JSON.stringify(ids.filter((id) => id.length <= LONGEST_ID && isStorable(id)))
  const isNew = 'NOT EXISTS (SELECT 1 FROM customer WHERE id = value)'
  if (db.first(`SELECT 1 FROM json_each(?) WHERE ${isNew} LIMIT 1`, list) === undefined) return
  const room = MOST_CUSTOMERS - (db.first<{ count: number }>('SELECT count(*) AS count FROM customer')?.count ?? 0)
  if (room <= 0) return
  db.run(
    `INSERT INTO customer (id, rev, changed_at) SELECT DISTINCT value, ?1, ?2 FROM json_each(?3) WHERE ${isNew} LIMIT ?4`,
    nextRev(db),
    now,
    list,
    room,
  )
  db.run(
    `DELETE FROM removed WHERE kind = 'customer' AND id IN (SELECT value FROM json_each(?))
       AND id IN (SELECT id FROM customer)`,
    list,
  )
}
