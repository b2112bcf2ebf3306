import { APART } from './apart.js'
import { CHANGING } from './changing.js'
import { CHECKING } from './checking.js'
import { CLOCK } from './clock.js'
import { PEEKING } from './peeking.js'
import { REPORTING } from './reporting.js'
import { SETTLING } from './settling.js'
import { SEVERAL } from './several.js'
import { TAKING } from './taking.js'
import type { StoreCheck } from './tools.js'

/** All checks of a store. */
export const STORE_CHECKS: readonly StoreCheck[] = [
  ...TAKING,
  ...REPORTING,
  ...CLOCK,
  ...CHANGING,
  ...SETTLING,
  ...SEVERAL,
  ...APART,
  ...PEEKING,
  ...CHECKING,
]
