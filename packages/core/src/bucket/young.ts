/*
 * V8 notes for each literal in a source whether the objects made there last, and if so makes them in the old space, which
 * only a full collection clears. It may be mistaken: what code that is not yet compiled makes while a growing heap is
 * marked seems to last. Every decision then costs three times as much, until a full collection finds it out. Of what
 * constructors, rest parameters and `map` make there are no such notes, so that what is made for each request is made here.
 * docs/decisions/memory-store.md has the numbers.
 */

/** A constructor of objects as plain as literals: their prototype is that of all objects. */
export function plain<Made, Args extends unknown[]>(
  construct: (this: Writable<Made>, ...args: Args) => void,
): new (
  ...args: Args
) => Made {
  construct.prototype = Object.prototype
  return construct as unknown as new (
    ...args: Args
  ) => Made
}

/** An array of these. */
export function listOf<Item>(...items: Item[]): Item[] {
  return items
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }
