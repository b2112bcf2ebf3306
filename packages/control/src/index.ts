export { type ControlPlane, type ControlPlaneOptions, DEFAULT_PORT, startControlPlane } from './control-plane.js'
export type { SqliteDriver } from './sqlite.js'
export type { Scope } from './token.js'
export type { NewToken } from './tokens.js'
