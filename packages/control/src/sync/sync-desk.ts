import { SYNC_PROTOCOL, type SyncRequest, type SyncResponse } from '@rail/plans/sync-protocol'
import { readSettings } from '../plans/settings.js'
import type { Counting } from '../records/reports.js'
import type { Database } from '../store/database.js'
import { sqliteFault } from '../store/sqlite.js'
import { readState } from '../store/state.js'
import { deltaFrom } from './delta.js'
import { withEnd } from './gzip-prefix.js'
import { serverCount } from './membership.js'
import { createSnapshots } from './snapshot.js'
import { type Noted, noteAll } from './sync-notes.js'

/** An answer to a sync: JSON, or everything, which is already compressed. */
export type SyncAnswer = { readonly text: string } | { readonly gzip: Buffer }

/** What a desk needs. */
export interface SyncDeskOptions {
  readonly db: Database
  /** Epoch milliseconds. */
  readonly clock: () => number
  /** When servers sync again, in milliseconds. */
  readonly syncMs: number
  readonly counting: Counting
  /** Called with a write that failed, because the disk is full or the database locked. The answer is sent all the same. */
  readonly onFault: (error: unknown) => void
}

/** Takes the report of a server, and answers with what has changed. */
export type SyncDesk = (request: SyncRequest) => Promise<SyncAnswer>

/** A server that did not get the latest revision syncs again after this time, in milliseconds. */
const SOON_MS = 1_000
/** This many deltas to one revision are kept: servers rarely have more than a few different revisions. */
const KEPT_DELTAS = 32

/** Creates a desk. */
export function createSyncDesk({ db, clock, syncMs, counting, onFault }: SyncDeskOptions): SyncDesk {
  const snapshotFor = createSnapshots(db)
  const deltas = { to: '', byRev: new Map<number, string | undefined>() }
  let lastCount = 1

  function note(request: SyncRequest, now: number): Noted {
    try {
      const noted = noteAll(db, request, now)
      lastCount = noted.servers
      return noted
    } catch (error) {
      if (sqliteFault(error) === undefined) throw error
      onFault(error)
      // Limits are sent as ever. The report is not acknowledged, so it comes again. Shares stay as small as they were.
      const servers = Math.max(lastCount, serverCount(db, now))
      return { state: readState(db), settings: readSettings(db), servers, ackSeq: undefined }
    }
  }

  function deltaText(from: number, { state, settings }: Noted): string | undefined {
    const to = `${state.epoch} ${state.rev}`
    if (deltas.to !== to || deltas.byRev.size >= KEPT_DELTAS) {
      deltas.to = to
      deltas.byRev.clear()
    }
    if (!deltas.byRev.has(from)) {
      const delta = deltaFrom(db, from, state, settings.defaultPlan)
      deltas.byRev.set(from, delta && JSON.stringify(delta))
    }
    return deltas.byRev.get(from)
  }

  return async (request) => {
    const now = clock()
    const noted = note(request, now)
    const { state } = noted
    counting.start()
    const { have, leaving, setting = noted.settings.servers } = request
    // A server that leaves needs nothing. And a database in which nothing was ever set does not replace what servers have:
    // it is new, perhaps because the one before was lost.
    if (have !== undefined && (leaving || state.rev === 0)) {
      const theirs = { ...noted, settings: { ...noted.settings, servers: setting } }
      return { text: answerText({ kind: 'unchanged', epoch: have.epoch, rev: have.rev }, common(theirs, now, syncMs)) }
    }
    if (have?.epoch === state.epoch) {
      const { epoch, rev } = state
      if (have.rev === rev) return { text: answerText({ kind: 'unchanged', epoch, rev }, common(noted, now, syncMs)) }
      const delta = deltaText(have.rev, noted)
      if (delta !== undefined) {
        const head = JSON.stringify({ v: SYNC_PROTOCOL, kind: 'delta', epoch, rev, from: have.rev })
        return { text: `${head.slice(0, -1)},"changes":${delta},${common(noted, now, syncMs)}` }
      }
    }
    const snapshot = await snapshotFor(state)
    const isLatest = snapshot.epoch === state.epoch && snapshot.rev >= state.rev
    return { gzip: withEnd(snapshot, common(noted, now, isLatest ? syncMs : SOON_MS)) }
  }
}

function answerText(head: Pick<SyncResponse, 'kind' | 'epoch' | 'rev'>, end: string): string {
  return `${JSON.stringify({ v: SYNC_PROTOCOL, ...head }).slice(0, -1)},${end}`
}

/** The end of every answer: the part that differs by server and time, and the closing brace. */
function common({ settings, servers, ackSeq }: Noted, now: number, nextSyncMs: number): string {
  return JSON.stringify({ setting: settings.servers, servers, nextSyncMs, serverTime: now, ackSeq }).slice(1)
}
