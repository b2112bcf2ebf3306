import type { SyncSource } from '../in-force/plans-in-force.js'

/** The state of a server's plans. */
export interface SyncStatus {
  /** `'live'` once this process has had an answer, even long ago: see `ageMs`. */
  readonly source: SyncSource
  /** The time since the last exchange in which the control plane confirmed these limits, in milliseconds. `undefined`: none yet. */
  readonly ageMs: number | undefined
  /** The revision in force; `undefined` with `'fallback'` and `'none'`. */
  readonly epoch: string | undefined
  readonly rev: number | undefined
  /** Whether each server enforces the whole limit, or its share. */
  readonly setting: 'each' | 'split'
  /** The number of counted servers, from the last answer. */
  readonly servers: number
  /** The part of each limit that this server enforces: 1, or 1 / servers. */
  readonly share: number
  /** The id by which the control plane counts this process. */
  readonly instance: string
  /** Why this server is not current: the failure of the last exchange, or why its answer was not applied. */
  readonly problem: string | undefined
  /** The number of exchanges that failed in a row. */
  readonly failures: number
  /** Scopes that the program uses and no plan has: only the plan's own limits are enforced there. */
  readonly unknownScopes: readonly string[]
  /** The number of customers whose counts the control plane has not acknowledged. */
  readonly unreported: number
}
