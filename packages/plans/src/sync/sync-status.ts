import type { SyncSource } from '../in-force/plans-in-force.js'

/** What is known of a server's plans, in one object. */
export interface SyncStatus {
  /** `'live'` once this process has had an answer, however long ago: see `ageMs`. */
  readonly source: SyncSource
  /** How long ago the control plane last said that these limits hold, in milliseconds. `undefined`: it never has. */
  readonly ageMs: number | undefined
  /** The revision in force; `undefined` with `'fallback'` and `'none'`. */
  readonly epoch: string | undefined
  readonly rev: number | undefined
  /** Whether each server enforces the whole limit, or its share. */
  readonly setting: 'each' | 'split'
  /** How many servers are counted, as last told. */
  readonly servers: number
  /** The part of each limit that this server enforces: 1, or 1 / servers. */
  readonly share: number
  /** This process, as the control plane counts it. */
  readonly instance: string
  /** What keeps this server from being current: the last exchange's failure, or why its payload was not taken. */
  readonly problem: string | undefined
  /** How often in a row an exchange has failed. */
  readonly failures: number
  /** Scopes that the program asks for and no plan has: there are no tighter limits there. */
  readonly unknownScopes: readonly string[]
  /** How many customers' counts the control plane has not acknowledged yet. */
  readonly unreported: number
}
