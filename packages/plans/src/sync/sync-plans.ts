import { type Decision, type Limit, type LimitSource, type PlanExplanation, RailError } from '@rail/core'
import { shown } from '@rail/core/store'
import { keepingAlive } from '../base/schedule.js'
import { CopyKeeper } from '../in-force/copy-keeper.js'
import type { SyncSource } from '../in-force/plans-in-force.js'
import { PlansInForce } from '../in-force/plans-in-force.js'
import { createReporter } from './reporter.js'
import { SyncLoop } from './sync-loop.js'
import { type SyncOptions, settingsOf } from './sync-options.js'
import type { SyncStatus } from './sync-status.js'
import { UsageReports } from './usage-reports.js'

/** The plans of a control plane, as a source of limits that stays current. */
export interface SyncedPlans extends LimitSource {
  limitsFor(customer: string, scope: string, isShared?: boolean): readonly Limit[]
  /** The number of servers that the control plane counts; `undefined` while it is not known. */
  servers(): number | undefined
  /** Counts a decision for the next report. Limiters call it. */
  onDecision(decision: Decision, earlier: Decision | undefined): void
  /** The limits of a customer, and the rule that sets each. */
  explain(customer: string): PlanExplanation
  /**
   * Resolves with the source of the limits: when the control plane has answered, or after `readyWithin`. It rejects only with
   * `live: true`, if there was no answer. Calling it is optional.
   *
   * @throws RailError `RAIL_SYNC_FAILED` (as a rejection), only with `live: true`
   */
  ready(wanted?: { readonly live?: boolean | undefined }): Promise<SyncSource>
  status(): SyncStatus
  /**
   * Sends the last report and, unless `leaveOnClose` is false, makes the server leave. Resolves within `timeout`, and never
   * rejects. The limits stay as they are.
   */
  close(): Promise<void>
}

/**
 * Keeps plans current from a control plane (`@rail/control`), and reports allowed and refused requests to it.
 *
 * It does not delay requests: limits are looked up in memory, and the start does not wait for an answer. No answer, and no
 * failure, of the control plane throws in a request or ends the exchanges. An answer with an error changes nothing. While the
 * control plane is unavailable, the last limits and the last share of them stay in force.
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
  const reporter = createReporter(onError, clock)
  const waiting = new Set<() => void>()
  let syncedAt: number | undefined
  let closing: Promise<void> | undefined

  const reports = new UsageReports(clock, settings.mostCustomers)
  const plans = new PlansInForce(settings, {
    unknownCustomer: (customer) => closing === undefined && reports.addUnknown(customer),
    unknownScope: (scope) => reporter.failed('scope', (count) => unknownScope(scope, count)),
  })
  const copies = new CopyKeeper(settings, plans, (error) => reporter.failed('copy', () => error))
  const loop = new SyncLoop(settings, plans, reports, {
    applying: () => copies.settled(),
    synced: () => {
      syncedAt = clock()
      reporter.works('sync', recovered)
      for (const wake of waiting) wake()
      copies.keep()
    },
    failed: (problem, waitMs) => reporter.failed('sync', (count) => syncFailed(problem, waitMs, count)),
  })

  function syncFailed(problem: string, waitMs: number, count: number): RailError {
    const { source } = plans
    const inForce = source === 'none' ? 'No limits are in force.' : `The limits in force stay (${source}).`
    return new RailError(
      'RAIL_SYNC_FAILED',
      `Plans were not synced from ${url.origin}: ${problem.replace(/\.?$/, '.')} ${inForce} The next try is in ${Math.ceil(waitMs / 1_000)} s.`,
      { count },
    )
  }

  function recovered(forMs: number, count: number): RailError {
    const more = count === 0 ? '' : `, and ${count} more failures`
    return new RailError(
      'RAIL_SYNC_RECOVERED',
      `Plans are synced from ${url.origin} again after ${Math.round(forMs / 1_000)} s${more}.`,
      { count },
    )
  }

  async function ready({ live = false }: { readonly live?: boolean | undefined } = {}): Promise<SyncSource> {
    if (plans.source !== 'live') {
      await keepingAlive(
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
      `${url.origin} did not answer within ${readyWithinMs} ms: ${loop.problem ?? 'no answer yet'}. Check that this machine can reach it.`,
    )
  }

  void copies.load().then(() => loop.start())
  return {
    limitsFor: (customer, scope, isShared) => plans.limitsFor(customer, scope, isShared),
    servers: () => plans.servers,
    onDecision: (decision, earlier) => {
      if (closing === undefined) reports.count(decision, earlier)
    },
    explain: (customer) => plans.explain(customer),
    ready,
    status: () => {
      const { loaded, source, unknownScopes } = plans
      const { setting = 'each', servers = 1 } = loaded ?? {}
      return {
        source,
        ageMs: syncedAt === undefined ? undefined : Math.max(0, Math.round(clock() - syncedAt)),
        epoch: loaded?.epoch,
        rev: loaded?.rev,
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
      closing ??= keepingAlive(loop.close().then(() => copies.settled()))
      return closing
    },
  }
}

function unknownScope(scope: string, count: number): RailError {
  return new RailError(
    'RAIL_UNKNOWN_SCOPE',
    `scope: expected a scope of the control plane's plans, got ${shown(scope)}; only the plan's own limits are enforced there. Give a plan that scope, as {} for no limit.`,
    { count },
  )
}
