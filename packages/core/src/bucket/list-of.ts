/**
 * An array of these items, for arrays that every request makes. V8 records for each array literal whether its arrays live
 * long, and may then allocate them in the old space, which only a full collection clears. When it does so wrongly, every
 * decision takes three times as long until then. V8 keeps no such record for rest parameters and constructors. The numbers
 * are in docs/decisions/memory-store.md.
 */
export function listOf<Item>(...items: Item[]): Item[] {
  return items
}
