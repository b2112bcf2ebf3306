/** Values kept with objects that are not ours, such as a framework's requests: unseen, and gone when the object is. */
export interface Notes<T> {
  get(object: object): T | undefined
  set(object: object, value: T): unknown
}

/**
 * Whether a framework gives each of its requests and responses another prototype, as Express does: then no two of them
 * are alike to the engine, and to add anything to one is dear.
 */
export interface Shape {
  /** @default false */
  readonly reshaped?: boolean | undefined
}

/**
 * Notes kept in the objects themselves, as a private field that nobody else can see. Where objects are reshaped, a WeakMap
 * keeps them. The garbage collector visits each entry of a WeakMap: one for each request took a fifth of a small server's
 * time.
 */
export function createNotes<T>(reshaped = false): Notes<T> {
  if (reshaped) return new WeakMap<object, T>()
  return class Note extends Same {
    #value: T

    constructor(object: object, value: T) {
      super(object)
      this.#value = value
    }

    static get(object: object): T | undefined {
      return #value in object ? object.#value : undefined
    }

    static set(object: object, value: T): void {
      if (#value in object) object.#value = value
      else new Note(object, value)
    }
  }
}

/** What is constructed is the object that is given, so a class derived from this adds its private fields to that. */
class Same {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: it is what this class is for.
    return object
  }
}
