import { RailError, shown } from '../base/errors.js'
import { attempt } from '../base/maybe-promise.js'
import type { Decision } from '../bucket/decision.js'
import { sentName } from '../limit/sent-name.js'

/** Tells the user's `onError` what went wrong without stopping a request, and not more often than is useful. */
export interface Reporter {
  /** Tells at once. An error in the hook goes nowhere: it must not reach a request. */
  tell(error: unknown): void
  /** A failure of the store: each kind is told at most once a second, with how many failures it stands for. */
  storeFailed(doing: 'take' | 'settle', cause: unknown, nowMs: number): void
  /** What is wrong with a limit, told once for each name that is sent, of at most 1,000 names. */
  tellOnce(code: 'RAIL_NEVER_FITS' | 'RAIL_FLAPPING_LIMIT', name: string, message: () => string): void
  /** Tells of limits that a decision shows to fit no request of this cost. */
  look(decision: Decision): void
}

export function createReporter(onError: ((error: unknown) => void) | undefined): Reporter {
  const told = new Set<string>()
  const failures = new Map<string, { count: number; toldAt: number }>()

  function tell(error: unknown): void {
    // Nobody is left to tell. An asynchronous hook that rejects would end a Node process.
    if (onError !== undefined) attempt(() => onError(error), ignore, ignore)
  }

  const tellOnce: Reporter['tellOnce'] = (code, name, message) => {
    const id = `${code} ${name}`
    if (told.has(id) || told.size >= MOST_TOLD) return
    told.add(id)
    tell(new RailError(code, message()))
  }

  return {
    tell,
    tellOnce,
    storeFailed(doing, cause, nowMs) {
      const kind = kindOf(doing, cause)
      const known = failures.has(kind) || failures.size < MOST_KINDS ? kind : OTHER
      const { count, toldAt } = failures.get(known) ?? { count: 0, toldAt: Number.NEGATIVE_INFINITY }
      // A step back of the clock must not silence it.
      if (nowMs - toldAt < TELL_EVERY_MS && nowMs >= toldAt) {
        failures.set(known, { count: count + 1, toldAt })
        return
      }
      failures.set(known, { count: 0, toldAt: nowMs })
      const times = count === 0 ? '' : `, ${count + 1} times since the last word of it`
      tell(
        new RailError(
          'RAIL_STORE_FAILED',
          `The store failed to ${doing}${times}. See that it can be reached; it said: ${messageOf(cause)}`,
          {
            cause,
            count: count + 1,
          },
        ),
      )
    },
    look(decision) {
      if (decision.retryAfterMs !== Number.POSITIVE_INFINITY) return
      for (const { limit, scope, cost, refused } of decision.limits) {
        if (!refused || cost <= limit.wholeBurst) continue
        const name = sentName(scope, limit)
        tellOnce(
          'RAIL_NEVER_FITS',
          name,
          () =>
            `A cost of ${cost} can never fit limit "${name}", whose burst is ${limit.wholeBurst}. Raise the burst, or ask for less at once.`,
        )
      }
    },
  }
}

/** Failures are of one kind where the store was asked the same, and says the same of it. */
function kindOf(doing: string, cause: unknown): string {
  return `${doing} ${messageOf(cause)}`
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : shown(cause)
}

const TELL_EVERY_MS = 1_000
/** A store that says something else each time must not fill the memory: what comes later is one kind. */
const MOST_KINDS = 16
const OTHER = 'other'
/** Bounds what is remembered. */
const MOST_TOLD = 1_000

function ignore(): void {}
