import { type CustomerRow, syncCustomerOf } from '../plans/check.js'
import { readSettings } from '../plans/settings.js'
import type { Database, Reader } from '../store/database.js'
import { readState, type State } from '../store/state.js'
import { canCatchUp } from './delta.js'
import { type GzipPrefix, gzipPrefix } from './gzip-prefix.js'

/** All plans and customers at one revision, as the compressed beginning of an answer. */
export interface Snapshot extends GzipPrefix {
  readonly epoch: string
  readonly rev: number
}

/** This many customers are read at a time: some milliseconds. Servers get their answers in between. */
const PAGE = 1_000
/** Up to this many customers, a snapshot is built again after every change. */
const FEW_CUSTOMERS = 5_000

/**
 * Returns everything at the present revision, built once for all servers. With many customers it may be a few changes old:
 * the server then comes back after a second for the rest.
 */
export function createSnapshots(db: Database): (state: State) => Promise<Snapshot> {
  let latest: { customers: number; snapshot: Snapshot } | undefined
  let building: Promise<Snapshot> | undefined

  const isGood = (state: State): boolean => {
    if (latest === undefined || latest.snapshot.epoch !== state.epoch) return false
    const { customers, snapshot } = latest
    if (snapshot.rev >= state.rev) return true
    // A server that gets it asks for the changes since. If there are none to be had, it would get the same again, for ever.
    return customers > FEW_CUSTOMERS && canCatchUp(db, snapshot.rev, state)
  }
  const build = async (): Promise<Snapshot> => {
    const reader = await db.snapshot()
    try {
      const { epoch, rev } = readState(reader)
      const customers = reader.first<{ count: number }>('SELECT count(*) AS count FROM customer')?.count ?? 0
      const snapshot = { epoch, rev, ...(await gzipPrefix(piecesOf(reader, epoch, rev))) }
      latest = { customers, snapshot }
      return snapshot
    } finally {
      reader.close()
      building = undefined
    }
  }
  return async (state) => {
    if (latest !== undefined && isGood(state)) return latest.snapshot
    // A snapshot that is being built may have begun before the latest change.
    const begun = await building
    if (begun !== undefined && isGood(state)) return begun
    building ??= build()
    return building
  }
}

/** The beginning of an answer with everything. The end of the object follows it. */
async function* piecesOf(reader: Reader, epoch: string, rev: number): AsyncGenerator<string> {
  const plans = reader.all<{ name: string; body: string }>('SELECT name, body FROM plan ORDER BY name')
  const document = {
    defaultPlan: readSettings(reader).defaultPlan,
    plans: plans.map(({ name, body }) => [name, JSON.parse(body)]),
  }
  const head = JSON.stringify({ v: 1, kind: 'full', epoch, rev, document })
  yield `${head.slice(0, -2)},"customers":[`
  let comma = ''
  for (let after = ''; ; ) {
    const rows = reader.all<CustomerRow>(
      'SELECT id, plan, overrides FROM customer WHERE id > ? ORDER BY id LIMIT ?',
      after,
      PAGE,
    )
    const last = rows.at(-1)
    if (last === undefined) break
    yield comma + JSON.stringify(rows.map(syncCustomerOf)).slice(1, -1)
    comma = ','
    after = last.id
  }
  yield ']},'
}
