import { type Clock, type Duration, durationMs } from '@rail/core'
import { checkOption, checkOptionNames, unexpected } from '@rail/core/adapter'
import type { SqliteDriver } from '../store/sqlite.js'
import { LONGEST_SYNC_MS } from '../store/state.js'

/** The options of {@link startControlPlane}. */
export interface ControlPlaneOptions {
  /** The data directory, with everything in it. Created if missing. On a local disk, not a network file system. */
  readonly data: string
  /** The port to listen on, 0 for any free one. @default 7245 */
  readonly port?: number | undefined
  /** The address to listen on. It has no TLS: beyond this machine, put a proxy with TLS before it. @default '127.0.0.1' */
  readonly host?: string | undefined
  /** How often servers sync, from '100ms' to '1m'. A change reaches them within this time. @default '15s' */
  readonly syncEvery?: Duration | undefined
  /** Epoch milliseconds. @default Date.now */
  readonly clock?: Clock | undefined
  /** Which SQLite to use. @default Node's own if Node has one (22.13 and later), else libsql */
  readonly driver?: SqliteDriver | undefined
  /**
   * Called with errors that are not a caller's fault: a full disk, a locked database. `() => {}` silences them.
   * @default one warning for each code and minute: process.emitWarning
   */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** The default port: RAIL on a telephone's keys. */
export const DEFAULT_PORT = 7245

const NAMES = ['data', 'port', 'host', 'syncEvery', 'clock', 'driver', 'onError']

/** Checks all options. @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION`, `RAIL_BAD_DURATION` */
export function checkOptions(options: ControlPlaneOptions): void {
  checkOptionNames(options, NAMES, 'startControlPlane()')
  const { data, port, host, syncEvery, clock, driver, onError } = options
  if (!isText(data) || data === '') {
    throw unexpected('RAIL_BAD_OPTION', 'data', 'the path of a directory', data, "Write data: './data'.")
  }
  checkOption('port', port, 'a whole number from 0 to 65535', isPort)
  checkOption('host', host, 'an address, such as 127.0.0.1', isText)
  checkOption('syncEvery', syncEvery, "a duration from '100ms' to '1m'", isSyncTime)
  checkOption('clock', clock, 'a function that returns epoch milliseconds', isFunction)
  checkOption('driver', driver, "'node' or 'libsql'", (value) => value === 'node' || value === 'libsql')
  checkOption('onError', onError, 'a function', isFunction)
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isFunction = (value: unknown): boolean => typeof value === 'function'
const isPort = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 65_535

function isSyncTime(value: NonNullable<ControlPlaneOptions['syncEvery']>): boolean {
  const ms = durationMs(value)
  return ms >= 100 && ms <= LONGEST_SYNC_MS
}
