import { bucketId } from './charge.js'
import { type Decision, sentName } from './decision.js'
import { RailError, shown } from './errors.js'
import { attempt } from './maybe-promise.js'

/** Tells the user's `onError` what went wrong without stopping a request, and not more often than is useful. */
export interface Reporter {
  /** Tells at once. An error in the hook goes nowhere: it must not reach a request. */
  tell(error: unknown): void
  /** A failure of the store: each kind is told at most once a second, with how many failures it stands for. */
  storeFailed(doing: 'take' | 'settle', cause: unknown, nowMs: number): void
  /** What a decision shows to be wrong with the limits: told once for each limit. */
  look(decision: Decision, nowMs: number): void
}

export function createReporter(onError: ((error: unknown) => void) | undefined): Reporter {
  const told = new Set<string>()
  const redefinitions = new Map<string, number[]>()
  const failures = new Map<string, { count: number; toldAt: number }>()

  function tell(error: unknown): void {
    // Nobody is left to tell. An asynchronous hook that rejects would end a Node process.
    if (onError !== undefined) attempt(() => onError(error), ignore, ignore)
  }

  function tellOnce(code: 'RAIL_NEVER_FITS' | 'RAIL_FLAPPING_LIMIT', name: string, message: string): void {
    const id = `${code} ${name}`
    if (told.has(id) || told.size >= MOST_TOLD) return
    told.add(id)
    tell(new RailError(code, message))
  }

  return {
    tell,
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
        new RailError('RAIL_STORE_FAILED', `The store failed to ${doing}${times}: ${messageOf(cause)}`, {
          cause,
          count: count + 1,
        }),
      )
    },
    look(decision, nowMs) {
      if (decision.retryAfterMs === Number.POSITIVE_INFINITY) {
        for (const { limit, scope, cost, refused } of decision.limits) {
          if (!refused || cost <= limit.wholeBurst) continue
          const name = sentName(scope, limit)
          tellOnce(
            'RAIL_NEVER_FITS',
            name,
            `A cost of ${cost} can never fit limit "${name}", whose burst is ${limit.wholeBurst}.`,
          )
        }
      }
      for (const status of decision.redefined) {
        const { scope, key, limit } = status
        const bucket = bucketId(status, limit)
        const times = [...(redefinitions.get(bucket) ?? []), nowMs].slice(-FLAPS)
        if (redefinitions.size >= MOST_TOLD) redefinitions.clear()
        redefinitions.set(bucket, times)
        if (times.length < FLAPS || nowMs - (times[0] as number) > FLAPPING_MS) continue
        const name = sentName(scope, limit)
        tellOnce(
          'RAIL_FLAPPING_LIMIT',
          name,
          `Limit "${name}" of key ${shown(key)} changed its definition ${FLAPS} times within a minute: two routes or limiters ` +
            'seem to define one name differently, each undoing the other. Give one another name or scope.',
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
/** So many changes of one bucket's definition within so long are no change of plan. */
const FLAPS = 3
const FLAPPING_MS = 60_000
/** Bounds what is remembered. */
const MOST_TOLD = 1_000

function ignore(): void {}
