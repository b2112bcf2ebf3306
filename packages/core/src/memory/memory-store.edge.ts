// Stands in for `memory-store.ts` in the edge build: the plain store, which is smaller.
export { MemoryStore } from './small-store.js'
