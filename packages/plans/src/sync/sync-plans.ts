import { type Decision, type Limit, type LimitSource, type PlanExplanation, RailError } from '@rail/core'
import { tell } from '../base/hooks.js'
import { CopyKeeper } from '../in-force/copy-keeper.js'
import type { SyncSource } from '../in-force/plans-in-force.js'
import { PlansInForce } from '../in-force/plans-in-force.js'
import { SyncLoop } from './sync-loop.js'
import { type SyncOptions, settingsOf } from './sync-options.js'
import type { SyncStatus } from './sync-status.js'
import { UsageReports } from './usage-reports.js'

/** The plans of a control plane, as a source of limits that stays current. */
export interface SyncedPlans extends LimitSource {
  limitsFor(customer: string, scope: string): readonly Limit[]
  /** Counts for the next report. Limiters call it by themselves. */
  onDecision(decision: Decision, earlier: Decision | undefined): void
  /** Which rule gives each limit of a customer. */
  explain(customer: string): PlanExplanation
  /**
   * Resolves with where limits come from: as soon as the control plane has answered, or after `readyWithin` with what there
   * is then. It never rejects, except with `live: true` when there was no answer. Waiting for it is not required.
   *
   * @throws RailError `RAIL_SYNC_FAILED` (as a rejection), only with `live: true`
   */
  ready(wanted?: { readonly live?: boolean | undefined }): Promise<SyncSource>
  status(): SyncStatus
  /**
   * Sends the last report and, unless `leaveOnClose: false`, says goodbye. Resolves within `timeout`, and never rejects.
   * The limits stay as they are.
   */
  close(): Promise<void>
}

/**
 * Keeps plans current from a control plane (`@rail/control`), and reports to it what was let in and refused.
 *
 * It never stands in the way of requests: limits are looked up in memory, the start waits for nothing, nothing that the
 * control plane does or fails to do stops the exchanges or makes them throw, and what cannot be understood whole changes
 * nothing. Without a control plane the last limits stay, and the last share of them.
 *
 * @example
 * const plans = syncPlans({ url: 'https://rail.internal', token: process.env.RAIL_TOKEN, copy: 'var/plans.copy' })
 * app.use(rateLimit({ identify: (req) => req.customer, limits: plans }))
 * process.once('SIGTERM', () => plans.close())
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION`, … for wrong options; `RAIL_BAD_PLAN` for a wrong `fallback`
 */
export function syncPlans(options: SyncOptions): SyncedPlans {
  const settings = settingsOf(options)
  const { clock, schedule, readyWithinMs, onError, url } = settings
  const toldAt = new Map<string, number>()
  const waiting = new Set<() => void>()
  let syncedAt: number | undefined
  let closing: Promise<void> | undefined

  /** At most once a minute for each kind of trouble. */
  function warn(kind: string, error: () => RailError): void {
    const now = clock()
    const last = toldAt.get(kind)
    if (last !== undefined && now - last < 60_000) return
    toldAt.set(kind, now)
    tell(onError, error())
  }

  const reports = new UsageReports(clock, settings.mostCustomers)
  const plans = new PlansInForce(settings, {
    unknown: (customer) => closing === undefined && reports.sawUnknown(customer),
    scope: (scope) => warn('scope', () => unknownScope(scope)),
  })
  const copies = new CopyKeeper(settings, plans, (error) => warn('copy', () => error))
  const loop = new SyncLoop(settings, plans, reports, {
    applying: () => copies.settled(),
    synced: () => {
      syncedAt = clock()
      for (const wake of waiting) wake()
      copies.keep()
    },
    failed: (problem, waitMs) => warn('sync', () => syncFailed(problem, waitMs)),
  })

  function syncFailed(problem: string, waitMs: number): RailError {
    const { source } = plans
    const left = source === 'none' ? 'No limits are in force.' : `The limits in force stay (${source}).`
    return new RailError(
      'RAIL_SYNC_FAILED',
      `Plans could not be synced from ${url.origin}: ${problem.replace(/\.?$/, '.')} ${left} The next try is in ${Math.ceil(waitMs / 1_000)} s.`,
    )
  }

  async function ready({ live = false }: { readonly live?: boolean | undefined } = {}): Promise<SyncSource> {
    if (plans.source !== 'live') {
      await holding(
        new Promise<void>((resolve) => {
          const cancel = schedule(done, readyWithinMs)
          function done(): void {
            cancel()
            waiting.delete(done)
            resolve()
          }
          waiting.add(done)
        }),
      )
    }
    if (!live || plans.source === 'live') return plans.source
    throw new RailError(
      'RAIL_SYNC_FAILED',
      `${url.origin} did not answer within ${readyWithinMs} ms: ${loop.problem ?? 'no answer yet'}. See that it can be reached from here.`,
    )
  }

  void copies.load().then(() => loop.start())
  return {
    limitsFor: (customer, scope) => plans.limitsFor(customer, scope),
    onDecision: (decision, earlier) => {
      if (closing === undefined) reports.count(decision, earlier)
    },
    explain: (customer) => plans.explain(customer),
    ready,
    status: () => {
      const { held, source, unknownScopes } = plans
      const { setting = 'each', servers = 1 } = held ?? {}
      return {
        source,
        ageMs: syncedAt === undefined ? undefined : Math.max(0, Math.round(clock() - syncedAt)),
        epoch: held?.epoch,
        rev: held?.rev,
        setting,
        servers,
        share: setting === 'split' ? 1 / servers : 1,
        instance: loop.instance,
        problem: loop.problem,
        failures: loop.failures,
        unknownScopes: [...unknownScopes],
        unreported: reports.size,
      }
    },
    close: () => {
      closing ??= holding(loop.close().then(() => copies.settled()))
      return closing
    },
  }
}

/** Keeps the process alive until a promise is settled: all timers and sockets here let it end. */
async function holding<Value>(promise: Promise<Value>): Promise<Value> {
  const hold = setInterval(() => {}, 60_000)
  try {
    return await promise
  } finally {
    clearInterval(hold)
  }
}

function unknownScope(scope: string): RailError {
  return new RailError(
    'RAIL_UNKNOWN_SCOPE',
    `The program asks for the scope ${JSON.stringify(scope)}, and no plan of the control plane has it: only the plan's own limits hold there. Give a plan that scope, as {} where it needs no limit.`,
  )
}
