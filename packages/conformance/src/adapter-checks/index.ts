import { appChecks } from './apps.js'
import type { AdapterCheck } from './check.js'
import { clientChecks } from './clients.js'
import { countingChecks } from './counting.js'
import { failureChecks } from './failures.js'
import { headerChecks } from './headers.js'
import { limitChecks } from './limits.js'
import { preflightChecks } from './preflights.js'
import { railChecks } from './rail.js'
import { refusalChecks } from './refusals.js'
import { styleChecks } from './styles.js'
import { waitChecks } from './waits.js'

/** Every sentence of the specification of adapters. */
export const ADAPTER_CHECKS: readonly AdapterCheck[] = [
  ...limitChecks,
  ...countingChecks,
  ...waitChecks,
  ...headerChecks,
  ...preflightChecks,
  ...styleChecks,
  ...refusalChecks,
  ...failureChecks,
  ...railChecks,
  ...appChecks,
  ...clientChecks,
]
