import { durationMs, RailError } from '@rail/core'
import type { ControlPlaneOptions } from './control-plane.js'
import { LONGEST_SYNC_MS } from './state.js'

const NAMES = ['data', 'port', 'host', 'syncEvery', 'clock', 'driver', 'onError']

/** Refuses options that are wrong or unknown. @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION`, `RAIL_BAD_DURATION` */
export function checkOptions(options: ControlPlaneOptions): void {
  for (const name of Object.keys(options)) {
    if (NAMES.includes(name)) continue
    throw new RailError(
      'RAIL_UNKNOWN_OPTION',
      `startControlPlane has no option "${name}". Its options: ${NAMES.join(', ')}.`,
    )
  }
  const {
    data,
    port = 0,
    host = '',
    syncEvery = 1_000,
    clock = Date.now,
    driver = 'node',
    onError = Date.now,
  } = options
  check(typeof data === 'string' && data !== '', 'data is the path of a directory')
  check(Number.isInteger(port) && port >= 0 && port <= 65_535, 'port is a whole number from 0 to 65535')
  check(typeof host === 'string', 'host is an address, such as 127.0.0.1')
  check(typeof clock === 'function', 'clock is a function that returns epoch milliseconds')
  check(driver === 'node' || driver === 'libsql', "driver is 'node' or 'libsql'")
  check(typeof onError === 'function', 'onError is a function')
  const syncMs = durationMs(syncEvery)
  check(syncMs >= 100 && syncMs <= LONGEST_SYNC_MS, "syncEvery is from '100ms' to '1m'")
}

function check(holds: boolean, expected: string): void {
  if (!holds) throw new RailError('RAIL_BAD_OPTION', `Of startControlPlane, ${expected}.`)
}
