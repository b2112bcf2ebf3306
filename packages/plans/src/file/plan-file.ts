import { readFileSync } from 'node:fs'
import {
  type Clock,
  type Duration,
  durationMs,
  type Limit,
  type LimitSource,
  type PlanExplanation,
  RailError,
} from '@rail/core'
import { checkOption, checkOptionNames, shown, warn } from '@rail/core/store'
import { callHook, errorFrom } from '../base/hooks.js'
import { keepingAlive, type Schedule, unrefSchedule } from '../base/schedule.js'
import { hashOf, lossOf, type PlansRead, plansFrom } from './plan-file-reading.js'
import { type Look, StandingFile } from './standing-file.js'

/** The options of {@link planFile}. */
export interface PlanFileOptions {
  /** The longest time until a change is in force. @default '2s' */
  readonly every?: Duration | undefined
  /** Called when new plans are in force. */
  readonly onReload?: (() => void) | undefined
  /**
   * Called with the reason why a changed file is not in force, once for each change, and with a warning where a reload takes
   * away the default plan or most customers. `() => {}` silences them.
   * @default one warning for each code and minute: process.emitWarning
   */
  readonly onError?: ((error: RailError) => void) | undefined
  /** The clock by which overrides end, in epoch milliseconds. @default Date.now */
  readonly clock?: Clock | undefined
  /** Timers; for tests. @default setTimeout, unref'd */
  readonly schedule?: Schedule | undefined
}

/** The state of a plan file. */
export interface PlanFileStatus {
  readonly path: string
  /** When the plans in force were read, in epoch milliseconds. */
  readonly loadedAt: number
  /** Why the current file is not in force; `undefined`: it is. */
  readonly problem: RailError | undefined
}

/** The plans of a file, as a source of limits that follows the file. */
export interface PlanFile extends LimitSource {
  limitsFor(customer: string, scope: string, isShared?: boolean): readonly Limit[]
  /** The number of servers with `servers: { split }`; `undefined` with `'each'`, which does not say it. */
  servers(): number | undefined
  /** The limits of a customer, and the rule that sets each. */
  explain(customer: string): PlanExplanation
  status(): PlanFileStatus
  /** Checks the file now, for instance on a signal, and waits until it stands still. Never rejects. */
  reload(): Promise<void>
  /** Stops checking the file. The limits stay as they are. */
  close(): void
}

/**
 * Plans from a file that is read again when it changes: JSON if its name ends in `.json`, else YAML. The file is checked by
 * its path, so that the swap of a Kubernetes ConfigMap and the rename of an editor are noticed, and read when it has stood still
 * for 150 ms. A wrong file changes nothing: the last good plans stay in force, and `onError` and `status()` report each problem
 * with its path and line.
 *
 * @example
 * const plans = planFile('plans.yaml')
 * app.use(rateLimit({ identify: (req) => req.customer, limits: plans }))
 *
 * @throws RailError `RAIL_BAD_PLAN` if the file cannot be read, or is wrong, at the start
 */
export function planFile(path: string, options: PlanFileOptions = {}): PlanFile {
  checkOptions(path, options)
  const { every = '2s', onReload, onError = warn, clock = Date.now, schedule = unrefSchedule } = options
  const everyMs = durationMs(every)
  const scopes = new Set<string>()
  const file = unlessUnreadable(path, () => new StandingFile(path))
  let inForce = load(unlessUnreadable(path, () => readFileSync(path)))
  /** The last refused content, by its hash, or the message of the last failure to read the file. */
  let refused: { readonly content: string; readonly error: RailError } | undefined
  let checking: Promise<void> | undefined
  let closed = false
  // It may be in the middle of a write.
  let cancel = schedule(poll, STILL_MS)

  function load(bytes: Buffer): PlansRead & { hash: string; loadedAt: number } {
    return { ...plansFrom(path, bytes, scopes, clock), hash: hashOf(bytes), loadedAt: clock() }
  }

  async function check(): Promise<void> {
    let look = await file.look()
    while (look === 'changing' && !closed) {
      await new Promise<void>((resolve) => schedule(resolve, STILL_MS))
      look = await file.look()
    }
    if (!closed && typeof look === 'object') take(look)
  }

  function take(look: Exclude<Look, string>): void {
    const content = 'failure' in look ? unreadable(path, look.failure).message : hashOf(look.bytes)
    if (content === inForce.hash) refused = undefined
    if (content === inForce.hash || content === refused?.content) return
    try {
      if ('failure' in look) throw look.failure
      const before = inForce
      inForce = load(look.bytes)
      refused = undefined
      callHook(onReload)
      const loss = lossOf(path, before, inForce)
      if (loss !== undefined) callHook(onError, loss)
    } catch (cause) {
      const error = cause instanceof RailError ? cause : unreadable(path, cause)
      refused = { content, error }
      callHook(onError, error)
    }
  }

  function checkOnce(): Promise<void> {
    checking ??= check().finally(() => {
      checking = undefined
    })
    return checking
  }

  function poll(): void {
    void checkOnce().then(() => {
      if (!closed) cancel = schedule(poll, Math.max(everyMs - STILL_MS, everyMs / 2))
    })
  }

  return {
    limitsFor: (customer, scope, isShared) => {
      const limits = inForce.book.limitsFor(customer, scope, isShared)
      scopes.add(scope)
      return limits
    },
    servers: () => inForce.book.servers(),
    explain: (customer) => inForce.book.explain(customer),
    status: () => ({ path, loadedAt: inForce.loadedAt, problem: refused?.error }),
    reload: () => keepingAlive(checkOnce()),
    close: () => {
      closed = true
      cancel()
    },
  }
}

/** A file that is the same at two looks this far apart has stood still. */
const STILL_MS = 150

function checkOptions(path: unknown, options: PlanFileOptions): void {
  if (typeof path !== 'string' || path === '') {
    throw new RailError(
      'RAIL_BAD_OPTION',
      `planFile(): expected the path of a file, got ${shown(path)}. Write planFile('plans.yaml').`,
    )
  }
  checkOptionNames(options, ['every', 'onReload', 'onError', 'clock', 'schedule'], 'planFile()')
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
  return errorFrom('RAIL_BAD_PLAN', `${path} cannot be read`, cause)
}
