import type { Clock, RailError } from '@rail/core'
import { callHook } from '../base/hooks.js'

/** Calls the user's `onError`, at most once a minute for each kind of error. */
export interface Reporter {
  /** Reports an error. `count`: the errors of this kind that no report had yet, with this one. */
  failed(kind: string, error: (count: number) => RailError): void
  /** Reports that what has failed works again, if a failure was reported. `count`: the failures that no report had yet. */
  works(kind: string, recovered: (forMs: number, count: number) => RailError): void
}

interface Failing {
  /** When it began to fail; `undefined` while it works. */
  since: number | undefined
  /** When a failure was last reported. */
  reportedAt: number
  /** Whether no recovery was reported since. */
  isReported: boolean
  count: number
}

/** @param clock Monotonic milliseconds. */
export function createReporter(onError: (error: RailError) => void, clock: Clock): Reporter {
  const kinds = new Map<string, Failing>()
  return {
    failed(kind, error) {
      const now = clock()
      const known = kinds.get(kind) ?? { since: now, reportedAt: Number.NEGATIVE_INFINITY, isReported: false, count: 0 }
      kinds.set(kind, known)
      known.since ??= now
      known.count += 1
      // A step back of the clock must not silence it.
      if (now - known.reportedAt < REPORT_EVERY_MS && now >= known.reportedAt) return
      const { count } = known
      Object.assign(known, { reportedAt: now, isReported: true, count: 0 })
      callHook(onError, error(count))
    },
    works(kind, recovered) {
      const known = kinds.get(kind)
      if (known?.since === undefined) return
      const { since, isReported, count } = known
      known.since = undefined
      if (!isReported) return
      Object.assign(known, { isReported: false, count: 0 })
      callHook(onError, recovered(Math.max(0, clock() - since), count))
    },
  }
}

const REPORT_EVERY_MS = 60_000
