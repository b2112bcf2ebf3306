import { durationMs, RailError } from '@rail/core'
import { checkOption, checkOptionNames, shown } from '@rail/core/adapter'
import { LONGEST_SYNC_MS } from '../store/state.js'
import type { ControlPlaneOptions } from './control-plane.js'

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
