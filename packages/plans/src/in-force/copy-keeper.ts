import type { Clock, RailError } from '@rail/core'
import { errorFrom } from '../base/hooks.js'
import type { Schedule } from '../base/schedule.js'
import { clearLeftovers, readCopy, writeCopy } from './disk-copy.js'
import type { PlansInForce } from './plans-in-force.js'

/** How long the start waits for the disk before the first request to the control plane: a disk may hang. */
const LONGEST_LOAD_MS = 1_000
/** An unchanged copy is written again after this time, so that its age is known. */
const FRESH_MS = 3_600_000

/** The settings of {@link CopyKeeper}. */
export interface CopySettings {
  /** The path of the copy; `undefined`: there is none. */
  readonly copy: string | undefined
  readonly url: URL
  readonly epochClock: Clock
  readonly schedule: Schedule
}

/** Keeps the copy on disk: it is read once at the start, and written when the plans in force have changed. */
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

  /** Puts the copy in force, if there is one and it is right. Never rejects, and does not wait for a disk that hangs. */
  async load(): Promise<void> {
    const { copy, url, schedule } = this.#settings
    if (copy === undefined) return
    const loading = readCopy(copy, url.href)
      .then(async (found) => {
        if (found !== undefined) await this.#plans.useCopy(found)
      })
      .catch((cause) =>
        this.#failed(errorFrom('RAIL_SYNC_FAILED', `The copy of the plans at ${copy} is not used`, cause)),
      )
    let cancel = (): void => {}
    const inTime = new Promise<void>((resolve) => {
      cancel = schedule(resolve, LONGEST_LOAD_MS)
    })
    await Promise.race([loading, inTime])
    cancel()
  }

  /** Starts to write the plans in force, unless the copy is the same. The plans must not change until {@link settled} resolves. */
  keep(): void {
    const { copy, url, epochClock } = this.#settings
    const { loaded } = this.#plans
    if (copy === undefined || loaded === undefined || this.#writing !== undefined) return
    const { epoch, rev, setting, servers } = loaded
    const written = JSON.stringify([epoch, rev, setting, servers])
    const now = Math.max(0, Math.floor(epochClock()))
    if (written === this.#written && now - this.#writtenAt < FRESH_MS) return
    this.#writing = clearLeftovers(copy)
      .then(() => writeCopy(copy, loaded, url.href, now))
      .then(() => {
        this.#written = written
        this.#writtenAt = now
      })
      .catch((cause) =>
        this.#failed(errorFrom('RAIL_SYNC_FAILED', `The copy of the plans at ${copy} could not be written`, cause)),
      )
      .finally(() => {
        this.#writing = undefined
      })
  }

  /** Resolves when no write is running. */
  async settled(): Promise<void> {
    await this.#writing
  }
}
