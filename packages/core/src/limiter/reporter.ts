import { RailError, reasonOf } from '../base/errors.js'
import { attempt } from '../base/maybe-promise.js'
import { warn } from '../base/warning.js'
import type { Decision } from '../bucket/decision.js'
import { sentName } from '../limit/sent-name.js'
import { neverFits } from './never-fits.js'

type StoreMethod = 'take' | 'peek' | 'settle'

/** Calls the user's `onError` with errors that do not stop a request, no more often than is useful. */
export interface Reporter {
  /** Reports at once. An error in the hook is dropped: it must not reach a request. */
  readonly report: (error: unknown) => void
  /** Reports a failure of the store, at most once a second, with the latest cause and the number of failures. */
  storeFailed(method: StoreMethod, cause: unknown, nowMs: number): void
  /** Reports that a method that has failed works again: at its first success, but at most once a second. */
  storeWorks(method: StoreMethod, nowMs: number): void
  /** Reports limits that no request of this cost fits, each once. */
  warnIfNeverFits(decision: Decision): void
}

export function createReporter(onError: (error: unknown) => void = warn): Reporter {
  const known = new Set<string>()
  let failures = 0
  let failureReportedAt = Number.NEGATIVE_INFINITY
  let recoveryReportedAt = Number.NEGATIVE_INFINITY
  /** The latest outage of a method; `undefined` once its end is reported. */
  const outages: { [Method in StoreMethod]?: Outage | undefined } = {}

  function report(error: unknown): void {
    // There is nobody left to call. An asynchronous hook that rejects would end a Node process.
    attempt(() => onError(error), ignore, ignore)
  }

  return {
    report,
    storeFailed(method, cause, nowMs) {
      failures++
      outages[method] = { since: outages[method]?.since ?? nowMs, endedAt: undefined }
      if (isRecent(failureReportedAt, nowMs)) return
      const times = failures === 1 ? '' : ` ${failures} times since the last report, most recently`
      const message = `store: ${method}() failed${times}: ${reasonOf(cause)}`
      const count = failures
      failures = 0
      failureReportedAt = nowMs
      report(new RailError('RAIL_STORE_FAILED', message, { cause, count }))
    },
    storeWorks(method, nowMs) {
      const outage = outages[method]
      if (outage === undefined) return
      outage.endedAt ??= nowMs
      if (isRecent(recoveryReportedAt, nowMs)) return
      const seconds = Math.max(0, outage.endedAt - outage.since) / 1_000
      const count = failures
      const more = count === 0 ? '' : `; failures since the last report: ${count}`
      failures = 0
      outages[method] = undefined
      recoveryReportedAt = nowMs
      report(
        new RailError('RAIL_STORE_RECOVERED', `store: ${method}() works again after ${seconds} s${more}.`, { count }),
      )
    },
    warnIfNeverFits(decision) {
      if (decision.retryAfterMs !== Number.POSITIVE_INFINITY) return
      for (const { limit, scope, cost, refused } of decision.limits) {
        const name = sentName(scope, limit)
        if (!refused || cost <= limit.wholeBurst || known.has(name) || known.size >= MOST_NAMES) continue
        known.add(name)
        report(neverFits(limit, name, cost))
      }
    },
  }
}

/** A time in which a method failed: since when, and when it worked again; `undefined` while it fails. */
interface Outage {
  readonly since: number
  endedAt: number | undefined
}

/** Whether a report is less than a second old. A step back of the clock must not silence the next one. */
function isRecent(reportedAt: number, nowMs: number): boolean {
  return nowMs - reportedAt < REPORT_EVERY_MS && nowMs >= reportedAt
}

const REPORT_EVERY_MS = 1_000
/** Bounds what is remembered. */
const MOST_NAMES = 1_000

function ignore(): void {}
