// What a row of the key table is made of. In a file that imports nothing, so that the build can put the numbers in place.

/** No row. */
export const NONE = -1

/** Numbers in a row, 64 bytes. Where each of them is: */
export const ROW = 16
export const HASH = 0
export const NEWER = 1
export const OLDER = 2
export const LAYOUT = 3
export const BLOCK = 4
/** The key's form and words, to the end of the row: room for 39 characters, or 19 of a wide text. */
export const KEY = 5
export const KEPT_WORDS = 11

/** Numbers that rows can have, as far as the index goes. */
export const ROW_MASK = 0xffffff
/** Where the tag begins that an entry of the index has of its row's hash. */
export const TAG_SHIFT = 25
