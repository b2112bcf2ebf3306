import { TAKING } from './taking.js'
import { TELLING } from './telling.js'
import type { StoreCheck } from './tools.js'

/** All that a store is checked for. */
export const STORE_CHECKS: readonly StoreCheck[] = [...TAKING, ...TELLING]
