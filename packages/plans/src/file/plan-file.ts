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
import { checkOption, checkOptionNames, shown, warn } from '@rail/core/store'
import { callHook, errorFrom } from '../base/hooks.js'
import { type Schedule, unrefSchedule } from '../base/schedule.js'
import { bookFrom, hashOf, stateOf } from './plan-file-reading.js'

/** The options of {@link planFile}. */
export interface PlanFileOptions {
  /** How often the file is checked for changes. @default '2s' */
  readonly every?: Duration | undefined
  /** Called when new plans are in force. */
  readonly onReload?: (() => void) | undefined
  /** Called with the reason why a changed file is not in force, once for each change. @default process.emitWarning */
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
  /** Checks the file now, for instance on a signal. Never rejects. */
  reload(): Promise<void>
  /** Stops checking the file. The limits stay as they are. */
  close(): void
}

/**
 * Plans from a file that is read again when it changes: JSON if its name ends in `.json`, else YAML. The file is checked by
 * its path, so that the swap of a Kubernetes ConfigMap and the rename of an editor are noticed. A wrong file changes nothing:
 * the last good plans stay in force, and `onError` and `status()` report each problem with its path and line.
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
  let inForce = load(unlessUnreadable(path, () => readFileSync(path)))
  /** The last refused content, by its hash, or the message of the last failure to read the file. */
  let refused: { readonly content: string; readonly error: RailError } | undefined
  let state = ''
  let checking: Promise<void> | undefined
  let closed = false
  let cancel = schedule(poll, everyMs)

  function load(bytes: Buffer): { book: PlanBook; hash: string; loadedAt: number } {
    return { book: bookFrom(path, bytes, scopes, clock), hash: hashOf(bytes), loadedAt: clock() }
  }

  async function checkNow(): Promise<void> {
    let content = ''
    try {
      const found = await stateOf(path)
      if (found.state === state) return
      const bytes = await readFile(path)
      state = found.isFinal ? found.state : ''
      content = hashOf(bytes)
      if (content === inForce.hash) refused = undefined
      if (closed || content === inForce.hash || content === refused?.content) return
      inForce = load(bytes)
      refused = undefined
      callHook(onReload)
    } catch (cause) {
      // The state of a file that can be read again may be the one from before.
      if (content === '') state = ''
      const error = cause instanceof RailError ? cause : unreadable(path, cause)
      if (closed || (content || error.message) === refused?.content) return
      refused = { content: content || error.message, error }
      callHook(onError, error)
    }
  }

  function reload(): Promise<void> {
    checking ??= checkNow().finally(() => {
      checking = undefined
    })
    return checking
  }

  function poll(): void {
    void reload().then(() => {
      if (!closed) cancel = schedule(poll, everyMs)
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
