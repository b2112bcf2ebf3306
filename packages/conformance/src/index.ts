export { listen, type RunningApp } from './test-adapter/listen.js'
export { type AdapterHarness, testAdapter } from './test-adapter.js'
export { type StoreHarness, testStore } from './test-store.js'
