import { durationMs } from '@rail/core'
import type { Scope } from '../access/token.js'
import { addToken, listTokens, type NewToken } from '../access/tokens.js'
import { reporting } from '../base/reporting.js'
import { createApp } from '../http/app.js'
import { keepHouse, sureClock } from '../records/housekeeping.js'
import { createCounting } from '../records/reports.js'
import { type Database, openDatabase } from '../store/database.js'
import { SYNC_MS, startState } from '../store/state.js'
import { createSyncDesk } from '../sync/sync-desk.js'
import { type ControlPlaneOptions, checkOptions, DEFAULT_PORT } from './options.js'

/** A control plane that is running. */
export interface ControlPlane {
  /** Where it listens, such as `http://127.0.0.1:7245`. */
  readonly url: string
  /** The first tokens of a new database, `undefined` later. Store them: the database has only their hashes. */
  readonly firstTokens: { readonly admin: string; readonly sync: string } | undefined
  /** Creates a token, for a program that runs its own control plane. */
  createToken(scope: Scope, label: string): NewToken
  /**
   * Stops listening, waits up to ten seconds for requests in progress, and closes the database. Connections that are still
   * open then are closed.
   */
  close(): Promise<void>
}

/** How often old rows are deleted. */
const HOUSEKEEPING_MS = 20_000
/** How long a close waits for requests in progress. */
const LONGEST_CLOSE_MS = 10_000

/**
 * Starts a control plane in this process.
 *
 * @example
 * const control = await startControlPlane({ data: './rail-data' })
 * console.log(control.url, control.firstTokens)
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION`, `RAIL_NO_SQLITE`, `RAIL_NEWER_DATABASE`; the system's error
 * if the directory cannot be written or the port is in use
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  checkOptions(options)
  const { data, port = DEFAULT_PORT, host = '127.0.0.1', syncEvery = SYNC_MS, driver } = options
  const { clock = Date.now } = options
  const onError = reporting(options.onError)
  const now = (): number => Math.floor(clock())
  const db = await openDatabase({ directory: data, driver, now: now() })
  try {
    startState(db, now())
    const counting = createCounting(db, onError)
    const desk = createSyncDesk({ db, clock: now, syncMs: durationMs(syncEvery), counting, onFault: onError })
    const app = createApp({ db, clock: now, counting, desk, onError })
    const url = await app.listen({ port, host })
    // Not before: a start that fails would create tokens that nobody sees.
    const firstTokens = makeFirstTokens(db, now())
    let house: Promise<void> | undefined
    // Reports that were stored before a crash.
    counting.start()
    const sure = sureClock(now)
    const timer = setInterval(() => {
      house ??= keepHouse(db, now(), sure())
        .catch(onError)
        .finally(() => {
          house = undefined
        })
    }, HOUSEKEEPING_MS)
    timer.unref()
    let closing: Promise<void> | undefined
    return {
      url,
      firstTokens,
      createToken: (scope, label) => addToken(db, scope, label, { author: 'program', at: now() }),
      close: () => {
        closing ??= (async () => {
          clearInterval(timer)
          const late = setTimeout(() => app.server.closeAllConnections(), LONGEST_CLOSE_MS)
          await app.close()
          clearTimeout(late)
          await house
          await counting.done().catch(onError)
          db.close()
        })()
        return closing
      },
    }
  } catch (error) {
    db.close()
    throw error
  }
}

function makeFirstTokens(db: Database, at: number): ControlPlane['firstTokens'] {
  return db.transaction(() => {
    if (listTokens(db).length > 0) return undefined
    const by = { author: 'first start', at }
    return {
      admin: addToken(db, 'admin', 'first admin', by).token,
      sync: addToken(db, 'sync', 'first servers', by).token,
    }
  })
}
