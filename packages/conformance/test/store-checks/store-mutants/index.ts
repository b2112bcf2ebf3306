import { APART_MUTANTS } from './apart.js'
import { CHARGE_MUTANTS } from './charges.js'
import { CHECKING_MUTANTS } from './checking.js'
import type { Mutant } from './mutant.js'
import { TAKING_MUTANTS } from './taking.js'
import { TIME_MUTANTS } from './time.js'

/** Stores that are broken on purpose: at least one for each sentence of the specification. */
export const MUTANTS: readonly Mutant[] = [
  ...TAKING_MUTANTS,
  ...TIME_MUTANTS,
  ...CHARGE_MUTANTS,
  ...APART_MUTANTS,
  ...CHECKING_MUTANTS,
]
