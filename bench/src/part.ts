import type { Row } from './goal.js'
import type { Curve } from './svg.js'

/** How much is measured. */
export interface Extent {
  /** CI's short form: fewer rounds, and only what a gate holds. */
  readonly short: boolean
  /** Says what is being measured. */
  readonly say: (what: string) => void
}

/** What a part of the benchmark found. */
export interface Findings {
  readonly title: string
  readonly rows: readonly Row[]
  readonly curves?: readonly Curve[]
  /** Packages that were measured against, for the list of versions. */
  readonly packages: readonly string[]
}

export type Part = (extent: Extent) => Promise<Findings>
