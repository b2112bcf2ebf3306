import { APART } from './apart.js'
import { CHANGING } from './changing.js'
import { CLOCK } from './clock.js'
import { LOOKING } from './looking.js'
import { SETTLING } from './settling.js'
import { SEVERAL } from './several.js'
import { TAKING } from './taking.js'
import { TELLING } from './telling.js'
import type { StoreCheck } from './tools.js'

/** All that a store is checked for. */
export const STORE_CHECKS: readonly StoreCheck[] = [
  ...TAKING,
  ...TELLING,
  ...CLOCK,
  ...CHANGING,
  ...SETTLING,
  ...SEVERAL,
  ...APART,
  ...LOOKING,
]
