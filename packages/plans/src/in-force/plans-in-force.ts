import {
  type Clock,
  createPlanBook,
  type Limit,
  type PlanBook,
  type PlanDocument,
  type PlanExplanation,
  RailError,
} from '@rail/core'
import type { SyncEnvelope, SyncRevision } from '../protocol/messages.js'
import { changePlans, type LoadedPlans, loadPlans, type PlanPayload, withServers } from './loaded-plans.js'

/** An answer that was not applied, and why. The limits before it stay in force. */
export interface ApplyError extends SyncRevision {
  readonly message: string
}

/** Where limits come from: the control plane, the copy on disk, the option `fallback`, or nowhere (no limits). */
export type SyncSource = 'live' | 'disk' | 'fallback' | 'none'

/** The settings of {@link PlansInForce}. */
export interface InForceSettings {
  readonly fallback: PlanDocument | undefined
  readonly newCustomers: 'no-limit' | 'default-plan'
  readonly epochClock: Clock
}

/** The most scopes without a plan that are remembered. */
const MOST_SCOPES = 100

/** The limits in force. An answer changes all of them or none, and never goes back to an older revision of its epoch. */
export class PlansInForce {
  readonly #settings: InForceSettings
  readonly #fallback: PlanBook | undefined
  readonly #reportCustomer: (customer: string) => void
  readonly #reportScope: (scope: string) => void
  readonly unknownScopes = new Set<string>()
  #loaded: LoadedPlans | undefined
  #live = false
  #requestAll = false
  /** The control plane's clock minus this machine's. */
  #offsetMs = 0

  constructor(
    settings: InForceSettings,
    report: { unknownCustomer: (customer: string) => void; unknownScope: (scope: string) => void },
  ) {
    const { fallback, epochClock } = settings
    this.#settings = settings
    this.#fallback = fallback && createPlanBook(fallback, { clock: epochClock })
    this.#reportCustomer = report.unknownCustomer
    this.#reportScope = report.unknownScope
  }

  get loaded(): LoadedPlans | undefined {
    return this.#loaded
  }

  get source(): SyncSource {
    if (this.#live) return 'live'
    if (this.#loaded !== undefined) return 'disk'
    return this.#fallback === undefined ? 'none' : 'fallback'
  }

  /** The revision to send to the control plane; `undefined` requests everything. */
  get have(): SyncRevision | undefined {
    if (this.#loaded === undefined || this.#requestAll) return undefined
    return { epoch: this.#loaded.epoch, rev: this.#loaded.rev }
  }

  /**
   * Never throws, because an answer of a control plane must not make a route fail: a scope that no plan has adds no limits,
   * and is reported.
   */
  limitsFor(customer: string, scope: string, isShared?: boolean): readonly Limit[] {
    const book = this.#loaded?.book ?? this.#fallback
    if (book === undefined || !book.has(customer)) {
      this.#reportCustomer(customer)
      if (book === undefined) return NO_LIMITS
      if (book !== this.#fallback && this.#settings.newCustomers === 'no-limit') return NO_LIMITS
    }
    if (book.hasScope(scope)) return book.limitsFor(customer, scope, isShared)
    if (this.unknownScopes.size < MOST_SCOPES) this.unknownScopes.add(scope)
    this.#reportScope(scope)
    return NO_LIMITS
  }

  /** The number of servers, whatever the setting; `undefined` while it is not known. */
  get servers(): number | undefined {
    return this.#loaded === undefined ? this.#fallback?.servers() : this.#loaded.servers
  }

  explain(customer: string): PlanExplanation {
    return (this.#loaded?.book ?? this.#fallback ?? createPlanBook({ plans: {} })).explain(customer)
  }

  /** Puts a copy in force, unless an answer is in force already. @throws RailError `RAIL_BAD_PLAN` (as a rejection) */
  async useCopy(copy: PlanPayload): Promise<void> {
    const loaded = await loadPlans(copy, this.#clock)
    if (!this.#live) this.#loaded ??= loaded
  }

  /**
   * Applies an answer. Returns why it was not applied, for the control plane. An older revision is ignored without an error:
   * of two control planes, one may lag behind the other.
   */
  async apply(answer: SyncEnvelope): Promise<ApplyError | undefined> {
    const loaded = this.#loaded
    const sameEpoch = loaded !== undefined && loaded.epoch === answer.epoch
    if (sameEpoch && answer.rev < loaded.rev) return undefined
    const { epoch, rev, setting, servers } = answer
    this.#offsetMs = answer.serverTime - this.#settings.epochClock()
    const follows =
      sameEpoch &&
      (answer.kind !== 'unchanged' || answer.rev === loaded.rev) &&
      (answer.kind !== 'delta' || answer.from === loaded.rev)
    if (answer.kind !== 'full' && !follows) {
      this.#requestAll = true
      return {
        epoch,
        rev,
        message: `answer: expected a change of the revision in force, got another (${answer.kind}). All plans are requested.`,
      }
    }
    try {
      if (answer.kind === 'full')
        this.#loaded = await loadPlans({ epoch, rev, setting, servers, ...answer.document }, this.#clock)
      else if (follows && answer.kind === 'delta') this.#loaded = await changePlans(loaded, answer, this.#clock)
      else if (follows) this.#loaded = withServers(loaded, setting, servers)
    } catch (error) {
      if (!(error instanceof RailError)) throw error
      this.#requestAll ||= answer.kind === 'delta'
      return { epoch, rev, message: error.message.slice(0, 2_000) }
    }
    this.#requestAll = false
    this.#live = true
    for (const scope of this.unknownScopes) if (this.#loaded?.book.hasScope(scope)) this.unknownScopes.delete(scope)
    return undefined
  }

  readonly #clock = (): number => this.#settings.epochClock() + this.#offsetMs
}

const NO_LIMITS: readonly Limit[] = Object.freeze([])
