export { manualClock } from '@rail/core'
export type { Need } from './adapter-checks/check.js'
export { ExactStore } from './exact/exact-store.js'
export { listen, type RunningApp } from './test-adapter/listen.js'
export { listenHttp2 } from './test-adapter/listen-http2.js'
export { listenerFor, readableOf, writeStream } from './test-adapter/listener-for.js'
export { type AdapterHarness, testAdapter } from './test-adapter.js'
export { type HostileRequests, testHostileRequests } from './test-hostile-requests.js'
export { type StoreHarness, testStore } from './test-store.js'
export {
  checkVector,
  type Vector,
  type VectorAnswer,
  type VectorCharge,
  type VectorStep,
  vectors,
} from './vectors/vectors.js'
