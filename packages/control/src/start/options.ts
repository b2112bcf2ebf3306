import { type Clock, type Duration, durationMs, RailError } from '@rail/core'
import { checkOption, checkOptionNames, shown } from '@rail/core/adapter'
import type { SqliteDriver } from '../store/sqlite.js'
import { LONGEST_SYNC_MS } from '../store/state.js'

/** The options of {@link startControlPlane}. */
export interface ControlPlaneOptions {
  /** The data directory: everything is in it. Made where it is not there. A local disk, not a network file system. */
  readonly data: string
  /** @default 7245; 0 takes any free port */
  readonly port?: number | undefined
  /** The address to listen on. Others than this machine's own are for the network behind a proxy with TLS. @default '127.0.0.1' */
  readonly host?: string | undefined
  /** How often servers are to ask. A change takes at most this long to reach them. @default '15s' */
  readonly syncEvery?: Duration | undefined
  /** Epoch milliseconds. @default Date.now */
  readonly clock?: Clock | undefined
  /** Which SQLite. @default Node's own where Node has one (22.13 and later), else libsql */
  readonly driver?: SqliteDriver | undefined
  /** Told of what fails and is no caller's fault: a full disk, a locked database. @default nobody */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** The default port: RAIL on a telephone's keys. */
export const DEFAULT_PORT = 7245

const NAMES = ['data', 'port', 'host', 'syncEvery', 'clock', 'driver', 'onError']

/** Refuses options that are wrong or unknown. @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION`, `RAIL_BAD_DURATION` */
export function checkOptions(options: ControlPlaneOptions): void {
  checkOptionNames(options, NAMES, 'startControlPlane')
  const { data, port, host, syncEvery, clock, driver, onError } = options
  if (!isText(data) || data === '') {
    throw new RailError(
      'RAIL_BAD_OPTION',
      `The option data is the path of a directory, got ${shown(data)}. Write data: './data'.`,
    )
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
