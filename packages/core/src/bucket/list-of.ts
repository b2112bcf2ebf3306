/**
 * An array of these. For arrays that are made for each request: V8 notes for each literal whether what it made has lasted, and
 * may then make it in the old space, which only a full collection clears. Where it is mistaken, every decision costs three
 * times as much until then. There are no such notes for rest parameters and constructors. The numbers are in
 * docs/decisions/memory-store.md.
 */
export function listOf<Item>(...items: Item[]): Item[] {
  return items
}
