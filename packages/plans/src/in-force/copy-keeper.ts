import type { Clock, RailError } from '@rail/core'
import { railError } from '../base/hooks.js'
import type { Schedule } from '../base/schedule.js'
import { clearLeftovers, readCopy, writeCopy } from './disk-copy.js'
import type { PlansInForce } from './plans-in-force.js'

/** How long a start waits for the disk before it asks the control plane: a disk may hang. */
const LONGEST_LOAD_MS = 1_000
/** A copy that says the same is written again after this, so that its age is known. */
const FRESH_MS = 3_600_000

/** The settings of {@link CopyKeeper}. */
export interface CopySettings {
  /** The path of the copy; `undefined`: there is none. */
  readonly copy: string | undefined
  readonly url: URL
  readonly epochClock: Clock
  readonly schedule: Schedule
}

/** Keeps the copy on disk: read once at the start, written when what is in force has changed. */
export class CopyKeeper {
  readonly #settings: CopySettings
  readonly #plans: PlansInForce
  readonly #failed: (error: RailError) => void
  #written = ''
  #writtenAt = 0
  #writing: Promise<void> | undefined

  constructor(settings: CopySettings, plans: PlansInForce, failed: (error: RailError) => void) {
    this.#settings = settings
    this.#plans = plans
    this.#failed = failed
  }

  /** Puts the copy in force, if there is one that is sound. Never rejects, and does not wait for a disk that hangs. */
  async load(): Promise<void> {
    const { copy, url, schedule } = this.#settings
    if (copy === undefined) return
    const loading = readCopy(copy, url.href)
      .then(async (found) => {
        if (found !== undefined) await this.#plans.useCopy(found)
      })
      .catch((cause) =>
        this.#failed(railError('RAIL_SYNC_FAILED', `The copy of the plans at ${copy} is not used`, cause)),
      )
    let cancel = (): void => {}
    const inTime = new Promise<void>((resolve) => {
      cancel = schedule(resolve, LONGEST_LOAD_MS)
    })
    await Promise.race([loading, inTime])
    cancel()
  }

  /** Writes what is in force, unless the copy says the same. Goes on by itself; what is in force must not change until {@link settled}. */
  keep(): void {
    const { copy, url, epochClock } = this.#settings
    const { held } = this.#plans
    if (copy === undefined || held === undefined || this.#writing !== undefined) return
    const { epoch, rev, setting, servers } = held
    const says = JSON.stringify([epoch, rev, setting, servers])
    const now = Math.max(0, Math.floor(epochClock()))
    if (says === this.#written && now - this.#writtenAt < FRESH_MS) return
    this.#writing = clearLeftovers(copy)
      .then(() => writeCopy(copy, held, url.href, now))
      .then(() => {
        this.#written = says
        this.#writtenAt = now
      })
      .catch((cause) =>
        this.#failed(railError('RAIL_SYNC_FAILED', `The copy of the plans at ${copy} could not be written`, cause)),
      )
      .finally(() => {
        this.#writing = undefined
      })
  }

  /** Resolves once nothing is being written. */
  async settled(): Promise<void> {
    await this.#writing
  }
}
