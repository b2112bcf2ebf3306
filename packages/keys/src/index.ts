export {
  type ApiKeys,
  type ApiKeysOptions,
  apiKeys,
  type Checked,
  type KeyRefusal,
  type KnownKeys,
} from './api-keys.js'
export { createKey, hashKey, type NewKey } from './key.js'
export type { KeyedRequest } from './request.js'
