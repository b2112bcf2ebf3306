import { APP_MUTANTS } from './apps.js'
import { CLIENT_MUTANTS } from './clients.js'
import { COUNTING_MUTANTS } from './counting.js'
import { FAILURE_MUTANTS, RAIL_MUTANTS } from './failures.js'
import { HEADER_MUTANTS } from './headers.js'
import { LIMIT_MUTANTS } from './limits.js'
import type { Mutant } from './mutant.js'
import { REFUSAL_MUTANTS } from './refusals.js'

/** Adapters that are broken on purpose: at least one for each sentence of the specification. */
export const MUTANTS: readonly Mutant[] = [
  ...LIMIT_MUTANTS,
  ...COUNTING_MUTANTS,
  ...HEADER_MUTANTS,
  ...REFUSAL_MUTANTS,
  ...FAILURE_MUTANTS,
  ...RAIL_MUTANTS,
  ...APP_MUTANTS,
  ...CLIENT_MUTANTS,
]
