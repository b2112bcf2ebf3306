/** What an application can import besides, and how. */
export const FEATURES: Readonly<Record<string, string>> = {
  draft7: "export { draft7 } from '@rail/hono'",
  draft6: "export { draft6 } from '@rail/hono'",
  xRateLimit: "export { xRateLimit } from '@rail/hono'",
  exposed: "export { exposed } from '@rail/hono'",
  problem: "export { problem } from '@rail/hono'",
  several: "export { several } from '@rail/hono'",
  localStore: "export { localStore } from '@rail/hono'",
  preflights: "export { preflights } from '@rail/hono'",
  addressKey: "export { addressKey } from '@rail/hono'",
  share: "export { share } from '@rail/hono'",
  headersFor: "export { headersFor } from '@rail/hono'",
  refusalFor: "export { refusalFor } from '@rail/hono'",
  manualClock: "export { manualClock } from '@rail/hono'",
  createPlanBook: "export { createPlanBook } from '@rail/hono'",
  planProblems: "export { planProblems } from '@rail/hono'",
  'parseHeaders, of @rail/core/read': "export { parseHeaders } from '@rail/core/read'",
}
