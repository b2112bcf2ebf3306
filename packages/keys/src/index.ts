export { type ApiKeys, type ApiKeysOptions, apiKeys, type KnownKeys } from './api-keys.js'
export type { Checked, KeyRefusal } from './checked.js'
export { createKey, hashKey, type NewKey } from './key.js'
export type { AddressedRequest, KeyedRequest } from './request.js'
