import { advice } from '../base/advice.js'
import { type Clock, monotonicClock } from '../base/clock.js'
import { railError } from '../base/errors.js'
import { attempt } from '../base/maybe-promise.js'
import type { Store } from '../bucket/store.js'

/** Notices ways of use that switch a limiter off without an error. Each is reported once. The edge build notices none. */
export interface Watch {
  /** A request had this key; `null`: none. */
  identified(key: string | null): void
  /** A request is charged. */
  charged(): void
  /** A request got the outcome again that it has, so many times by now. */
  repeated(times: number): void
}

const MOST_ANONYMOUS = 1_000
const MOST_REPEATS = 100
const MOST_MADE = 100
const MADE_WITHIN_MS = 60_000
const MOST_APART_MS = 60_000

/** Limiters with stores of their own that have charged one request, since a moment of the monotonic clock. */
let made = 0
let since = 0
let isMadeReported = false

/** The clock of the first limiter of each store. */
const clocks = new WeakMap<object, Clock>()

export function createWatch(report: (error: unknown) => void, store: Store, clock: Clock): Watch {
  const hasOwnStore = !clocks.has(store) && store.isShared !== true
  const first = clocks.get(store) ?? clock
  clocks.set(store, first)
  let anonymous = 0
  let charged = 0
  let isRepeatReported = false
  return {
    identified(key) {
      if (key !== null) anonymous = MOST_ANONYMOUS
      if (anonymous === MOST_ANONYMOUS || ++anonymous < MOST_ANONYMOUS) return
      const toDo = advice('Mount the limiter after authentication.')
      report(
        railError(
          'RAIL_ALL_ANONYMOUS',
          `identify() or several(): no key for any of the first ${anonymous} requests`,
          toDo,
        ),
      )
    },
    charged() {
      if (charged === 2) return
      charged++
      if (charged === 1 && first !== clock && store.isShared !== true) compareClocks(first, clock, report)
      if (!hasOwnStore) return
      if (charged === 2) made = 0
      else noticeMade(report)
    },
    repeated(times) {
      if (times < MOST_REPEATS || isRepeatReported) return
      isRepeatReported = true
      const toDo = advice('For several messages of one connection use createLimiter({ once: false }).')
      report(railError('RAIL_SAME_REQUEST', `take(): one request object ${times} times, counted once`, toDo))
    },
  }
}

/** Two limiters on one store must agree on the time: what one takes is full again, or never, to the other. */
function compareClocks(first: Clock, clock: Clock, report: (error: unknown) => void): void {
  const apartMs = attempt(
    () => Math.abs(first() - clock()),
    (ms) => ms,
    () => 0,
  ) as number
  if (!(apartMs > MOST_APART_MS)) return
  const fact = `clock: ${Math.round(apartMs)} ms apart from another limiter's on the same store`
  report(railError('RAIL_TWO_CLOCKS', fact, advice('Give both the same clock, or each a store of its own.')))
}

function noticeMade(report: (error: unknown) => void): void {
  const now = monotonicClock()
  if (now - since > MADE_WITHIN_MS) {
    since = now
    made = 0
  }
  if (++made < MOST_MADE || isMadeReported) return
  isMadeReported = true
  const fact = `limiters: ${made} with stores of their own within a minute, and none has counted two requests`
  report(railError('RAIL_MADE_PER_REQUEST', fact, advice('Create the limiter once, outside the handler.')))
}
