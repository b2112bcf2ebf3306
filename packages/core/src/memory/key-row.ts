// The parts of a row of the key table. This file imports nothing, so that the build can inline the numbers.

/** No row. */
export const NO_ROW = -1

/** Numbers in a row, 64 bytes. Their places: */
export const ROW = 16
export const HASH = 0
export const NEWER = 1
export const OLDER = 2
export const LAYOUT = 3
export const BLOCK = 4
/** The key's form and words, to the end of the row: room for 39 characters, or 19 of a wide string. */
export const KEY = 5
export const KEPT_WORDS = 11

/** The most rows: an entry of the index has a row's number in its lower 24 bits. */
export const MOST_ROWS = 2 ** 24
/** Above them an entry has the lower bits of its home, and in its top bit that it is not empty. */
export const HOME_SHIFT = 24
export const MOST_NEAR = 127
export const USED = 1 << 31
