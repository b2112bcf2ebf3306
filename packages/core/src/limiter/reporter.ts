import { RailError, shown } from '../base/errors.js'
import { attempt } from '../base/maybe-promise.js'
import { warn } from '../base/warning.js'
import type { Decision } from '../bucket/decision.js'
import { sentName } from '../limit/sent-name.js'
import { neverFits } from './never-fits.js'

/** Calls the user's `onError` with errors that do not stop a request, no more often than is useful. */
export interface Reporter {
  /** Reports at once. An error in the hook is dropped: it must not reach a request. */
  readonly report: (error: unknown) => void
  /** Reports a failure of the store, at most once a second, with the latest cause and the number of failures. */
  storeFailed(method: 'take' | 'peek' | 'settle', cause: unknown, nowMs: number): void
  /** Reports limits that no request of this cost fits, each once. */
  warnIfNeverFits(decision: Decision): void
}

export function createReporter(onError: (error: unknown) => void = warn): Reporter {
  const known = new Set<string>()
  let failures = 0
  let reportedAt = Number.NEGATIVE_INFINITY

  function report(error: unknown): void {
    // There is nobody left to call. An asynchronous hook that rejects would end a Node process.
    attempt(() => onError(error), ignore, ignore)
  }

  return {
    report,
    storeFailed(method, cause, nowMs) {
      failures++
      // A step back of the clock must not silence it.
      if (nowMs - reportedAt < REPORT_EVERY_MS && nowMs >= reportedAt) return
      const times = failures === 1 ? '' : ` ${failures} times since the last report, most recently`
      const message = `store: ${method}() failed${times}: ${messageOf(cause)}`
      const count = failures
      failures = 0
      reportedAt = nowMs
      report(new RailError('RAIL_STORE_FAILED', message, { cause, count }))
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

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : shown(cause)
}

const REPORT_EVERY_MS = 1_000
/** Bounds what is remembered. */
const MOST_NAMES = 1_000

function ignore(): void {}
