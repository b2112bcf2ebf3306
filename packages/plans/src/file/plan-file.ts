import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import {
  type Clock,
  type Duration,
  durationMs,
  type Limit,
  type LimitSource,
  type PlanBook,
  type PlanExplanation,
  RailError,
} from '@rail/core'
import { checkOption, checkOptionNames } from '@rail/core/store'
import { railError, tell, warn } from '../base/hooks.js'
import { type Schedule, unrefSchedule } from '../base/schedule.js'
import { bookFrom, hashOf, lookOf } from './plan-file-reading.js'

/** The options of {@link planFile}. */
export interface PlanFileOptions {
  /** How often the file is looked at. @default '2s' */
  readonly every?: Duration | undefined
  /** Told when new plans are in force. */
  readonly onReload?: (() => void) | undefined
  /** Told, once for each change of the file, why it was not taken. @default process.emitWarning */
  readonly onError?: ((error: RailError) => void) | undefined
  /** Epoch milliseconds, by which overrides end. @default Date.now */
  readonly clock?: Clock | undefined
  /** Timers; for tests. @default setTimeout, unref'd */
  readonly schedule?: Schedule | undefined
}

/** What is known of a plan file. */
export interface PlanFileStatus {
  readonly path: string
  /** When the plans in force were read, in epoch milliseconds. */
  readonly loadedAt: number
  /** Why the file, as it is now, is not in force. */
  readonly problem: RailError | undefined
}

/** The plans of a file, as a source of limits that follows the file. */
export interface PlanFile extends LimitSource {
  limitsFor(customer: string, scope: string): readonly Limit[]
  /** Which rule gives each limit of a customer. */
  explain(customer: string): PlanExplanation
  status(): PlanFileStatus
  /** Looks at the file at once: for a signal, and for tests. Never rejects. */
  reload(): Promise<void>
  /** Stops looking at the file. The limits stay as they are. */
  close(): void
}

/**
 * Plans from a JSON or YAML file (by its ending: `.json`, else YAML), read again when it changes. The file is looked at by
 * its path, so that a Kubernetes ConfigMap's swap and an editor's rename are seen, and is taken whole or not at all: with a
 * bad file the last good plans stay, and `onError` and `status()` say what is wrong, at which path and line.
 *
 * @example
 * const plans = planFile('plans.yaml')
 * app.use(rateLimit({ identify: (req) => req.customer, limits: plans }))
 *
 * @throws RailError `RAIL_BAD_PLAN` when the file cannot be read, or is bad, at the start: there are no good plans to keep
 */
export function planFile(path: string, options: PlanFileOptions = {}): PlanFile {
  checkOptions(path, options)
  const { every = '2s', onReload, onError = warn, clock = Date.now, schedule = unrefSchedule } = options
  const everyMs = durationMs(every)
  const scopes = new Set<string>()
  let inForce = load(unlessUnreadable(path, () => readFileSync(path)))
  /** What the file held, or how it could not be read, when it was last refused. */
  let refused: { readonly what: string; readonly error: RailError } | undefined
  let look = ''
  let looking: Promise<void> | undefined
  let closed = false
  let cancel = schedule(poll, everyMs)

  function load(bytes: Buffer): { book: PlanBook; hash: string; loadedAt: number } {
    return { book: bookFrom(path, bytes, scopes, clock), hash: hashOf(bytes), loadedAt: clock() }
  }

  async function lookNow(): Promise<void> {
    let what = ''
    try {
      const seen = await lookOf(path)
      if (seen.look === look) return
      const bytes = await readFile(path)
      look = seen.settled ? seen.look : ''
      what = hashOf(bytes)
      if (what === inForce.hash) refused = undefined
      if (closed || what === inForce.hash || what === refused?.what) return
      inForce = load(bytes)
      refused = undefined
      tell(onReload)
    } catch (cause) {
      // A file that cannot be read looks as it did before when it can be again.
      if (what === '') look = ''
      const error = cause instanceof RailError ? cause : unreadable(path, cause)
      if (closed || (what || error.message) === refused?.what) return
      refused = { what: what || error.message, error }
      tell(onError, error)
    }
  }

  function reload(): Promise<void> {
    looking ??= lookNow().finally(() => {
      looking = undefined
    })
    return looking
  }

  function poll(): void {
    void reload().then(() => {
      if (!closed) cancel = schedule(poll, everyMs)
    })
  }

  return {
    limitsFor: (customer, scope) => {
      const limits = inForce.book.limitsFor(customer, scope)
      scopes.add(scope)
      return limits
    },
    explain: (customer) => inForce.book.explain(customer),
    status: () => ({ path, loadedAt: inForce.loadedAt, problem: refused?.error }),
    reload,
    close: () => {
      closed = true
      cancel()
    },
  }
}

function checkOptions(path: unknown, options: PlanFileOptions): void {
  if (typeof path !== 'string' || path === '') {
    throw new RailError(
      'RAIL_BAD_OPTION',
      `planFile takes the path of a file, got ${JSON.stringify(path)}. Write planFile('plans.yaml').`,
    )
  }
  checkOptionNames(options, ['every', 'onReload', 'onError', 'clock', 'schedule'], 'planFile')
  for (const name of ['onReload', 'onError', 'clock', 'schedule'] as const) {
    checkOption(name, options[name], 'a function', (value) => typeof value === 'function')
  }
}

function unlessUnreadable<Read>(path: string, read: () => Read): Read {
  try {
    return read()
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

function unreadable(path: string, cause: unknown): RailError {
  return railError('RAIL_BAD_PLAN', `${path} cannot be read`, cause)
}
