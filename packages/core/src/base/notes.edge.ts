import type { Notes } from './notes.js'

/** Stands in for `notes.ts` in the edge build: a WeakMap, because edge runtimes handle few requests in one heap. */
export function createNotes<T>(): Notes<T> {
  return new WeakMap<object, T>()
}
