import type { AdapterCheck } from './check.js'
import { countingChecks } from './counting.js'
import { failureChecks } from './failures.js'
import { headerChecks } from './headers.js'
import { limitChecks } from './limits.js'
import { railChecks } from './rail.js'
import { refusalChecks } from './refusals.js'
import { styleChecks } from './styles.js'

/** Every sentence of the specification of adapters. */
export const ADAPTER_CHECKS: readonly AdapterCheck[] = [
  ...limitChecks,
  ...countingChecks,
  ...headerChecks,
  ...styleChecks,
  ...refusalChecks,
  ...failureChecks,
  ...railChecks,
]
