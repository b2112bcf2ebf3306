// What authors of adapters import besides the names of the main door.
export { checkOption, checkOptionNames } from './base/check.js'
export { railError, shown, throwError, unexpected } from './base/errors.js'
export { isPromise } from './base/maybe-promise.js'
export { suggestionFor } from './base/suggestion.js'
export { type Field, type FieldReader, mergeField, mergeFields } from './headers/field.js'
export { isPreflight, type PreflightReader } from './limiter/preflight.js'
export type { Framework } from './limiter/settings.js'
export { addFields, type HeadWriter } from './node/response-head.js'
