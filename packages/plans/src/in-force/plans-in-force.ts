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
import { changed, type Held, heldFrom, resplit, type Whole } from './loaded-plans.js'

/** An answer that may not be applied, and why. The limits before it stay in force. */
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

/** How many scopes that no plan has are remembered. */
const MOST_SCOPES = 100

/** Which limits are in force, and how an answer changes them: whole or not at all, and never back within an epoch. */
export class PlansInForce {
  readonly #settings: InForceSettings
  readonly #fallback: PlanBook | undefined
  readonly #sawUnknown: (customer: string) => void
  readonly #sawScope: (scope: string) => void
  readonly unknownScopes = new Set<string>()
  #held: Held | undefined
  #live = false
  #askForAll = false
  /** The control plane's clock less this machine's. */
  #offsetMs = 0

  constructor(settings: InForceSettings, saw: { unknown: (customer: string) => void; scope: (scope: string) => void }) {
    const { fallback, epochClock } = settings
    this.#settings = settings
    this.#fallback = fallback && createPlanBook(fallback, { clock: epochClock })
    this.#sawUnknown = saw.unknown
    this.#sawScope = saw.scope
  }

  get held(): Held | undefined {
    return this.#held
  }

  get source(): SyncSource {
    if (this.#live) return 'live'
    if (this.#held !== undefined) return 'disk'
    return this.#fallback === undefined ? 'none' : 'fallback'
  }

  /** What to tell the control plane of what is here; `undefined` asks for all. */
  get have(): SyncRevision | undefined {
    if (this.#held === undefined || this.#askForAll) return undefined
    return { epoch: this.#held.epoch, rev: this.#held.rev }
  }

  /**
   * Never throws: a scope that no plan has means no limits beside the plan's own, and is told, because what a control plane
   * says must not turn a route into an error.
   */
  limitsFor(customer: string, scope: string): readonly Limit[] {
    const book = this.#held?.book ?? this.#fallback
    if (book === undefined || !book.has(customer)) {
      this.#sawUnknown(customer)
      if (book === undefined) return NONE
      if (book !== this.#fallback && this.#settings.newCustomers === 'no-limit') return NONE
    }
    if (book.hasScope(scope)) return book.limitsFor(customer, scope)
    if (this.unknownScopes.size < MOST_SCOPES) this.unknownScopes.add(scope)
    this.#sawScope(scope)
    return NONE
  }

  explain(customer: string): PlanExplanation {
    return (this.#held?.book ?? this.#fallback ?? createPlanBook({ plans: {} })).explain(customer)
  }

  /** Puts a copy in force, if there has been no answer meanwhile. @throws RailError `RAIL_BAD_PLAN` (as a rejection) */
  async useCopy(copy: Whole): Promise<void> {
    const held = await heldFrom(copy, this.#clock)
    if (!this.#live) this.#held ??= held
  }

  /**
   * Applies an answer. Gives why it may not be applied, where that is worth telling the control plane; an answer of an
   * older revision is passed over in silence, as one of two control planes may lag behind the other.
   */
  async apply(answer: SyncEnvelope): Promise<ApplyError | undefined> {
    const held = this.#held
    const sameEpoch = held !== undefined && held.epoch === answer.epoch
    if (sameEpoch && answer.rev < held.rev) return undefined
    const { epoch, rev, setting, servers } = answer
    this.#offsetMs = answer.serverTime - this.#settings.epochClock()
    const follows =
      sameEpoch &&
      (answer.kind !== 'unchanged' || answer.rev === held.rev) &&
      (answer.kind !== 'delta' || answer.from === held.rev)
    if (answer.kind !== 'full' && !follows) {
      this.#askForAll = true
      return { epoch, rev, message: `What came (${answer.kind}) does not follow from what is here; all is asked for.` }
    }
    try {
      if (answer.kind === 'full')
        this.#held = await heldFrom({ epoch, rev, setting, servers, ...answer.document }, this.#clock)
      else if (follows && answer.kind === 'delta') this.#held = await changed(held, answer, this.#clock)
      else if (follows) this.#held = resplit(held, setting, servers)
    } catch (error) {
      if (!(error instanceof RailError)) throw error
      this.#askForAll ||= answer.kind === 'delta'
      return { epoch, rev, message: error.message.slice(0, 2_000) }
    }
    this.#askForAll = false
    this.#live = true
    for (const scope of this.unknownScopes) if (this.#held?.book.hasScope(scope)) this.unknownScopes.delete(scope)
    return undefined
  }

  readonly #clock = (): number => this.#settings.epochClock() + this.#offsetMs
}

const NONE: readonly Limit[] = Object.freeze([])
