// What readers of other people's headers import.
export { type HeaderSource, type ParsedHeaders, parseHeaders } from './read/parse-headers.js'
export type { ParsedLimit } from './read/parsed-limit.js'
