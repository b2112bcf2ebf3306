export type { Scope } from './access/token.js'
export type { NewToken } from './access/tokens.js'
export { type ControlPlane, type ControlPlaneOptions, DEFAULT_PORT, startControlPlane } from './start/control-plane.js'
export type { SqliteDriver } from './store/sqlite.js'
