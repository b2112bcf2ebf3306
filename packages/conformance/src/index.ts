export { type StoreHarness, testStore } from './test-store.js'
