import { RailError } from '@rail/core'
import { expect, test } from 'vitest'
import { type ControlPlaneOptions, startControlPlane } from '../../src/index.js'
import { dataDirectory, startHarness } from '../support.js'

test.each([
  [{ data: '' }, 'RAIL_BAD_OPTION', `The option data is the path of a directory, got "". Write data: './data'.`],
  [
    { data: undefined },
    'RAIL_BAD_OPTION',
    "The option data is the path of a directory, got undefined. Write data: './data'.",
  ],
  [
    { port: -1 },
    'RAIL_BAD_OPTION',
    'The option port is a whole number from 0 to 65535, got -1. Give one, or leave it out.',
  ],
  [
    { port: '80' },
    'RAIL_BAD_OPTION',
    'The option port is a whole number from 0 to 65535, got "80". Give one, or leave it out.',
  ],
  [
    { host: 127 },
    'RAIL_BAD_OPTION',
    'The option host is an address, such as 127.0.0.1, got 127. Give one, or leave it out.',
  ],
  [
    { syncEvery: 'soon' },
    'RAIL_BAD_DURATION',
    `A duration is text like '10s' (units ms, s, m, h, d) or whole milliseconds from 1, got "soon". Write '10s', '5m' or 60_000.`,
  ],
  [
    { syncEvery: '99ms' },
    'RAIL_BAD_OPTION',
    `The option syncEvery is a duration from '100ms' to '1m', got "99ms". Give one, or leave it out.`,
  ],
  [
    { syncEvery: '61s' },
    'RAIL_BAD_OPTION',
    `The option syncEvery is a duration from '100ms' to '1m', got "61s". Give one, or leave it out.`,
  ],
  [
    { driver: 'pg' },
    'RAIL_BAD_OPTION',
    `The option driver is 'node' or 'libsql', got "pg". Give one, or leave it out.`,
  ],
  [
    { clock: 5 },
    'RAIL_BAD_OPTION',
    'The option clock is a function that returns epoch milliseconds, got 5. Give one, or leave it out.',
  ],
  [{ onError: {} }, 'RAIL_BAD_OPTION', 'The option onError is a function, got an object. Give one, or leave it out.'],
  [
    { prot: 80 },
    'RAIL_UNKNOWN_OPTION',
    'startControlPlane has no option "prot". Did you mean "port"? Its options: data, port, host, syncEvery, clock, driver, onError.',
  ],
])('wrong options are refused when the control plane is started: %j', async (options, code, message) => {
  const data = dataDirectory()
  // Deliberately wrong.
  const started = startControlPlane({ data, ...options } as ControlPlaneOptions)
  await expect(started).rejects.toEqual(expect.any(RailError))
  await expect(started).rejects.toMatchObject({ code, message })
})

test('a port that is taken is an error, lets the database go, and makes no tokens that nobody sees', async () => {
  const { control } = await startHarness()
  const data = dataDirectory()
  const port = Number(new URL(control.url).port)
  await expect(startControlPlane({ data, port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  const second = await startControlPlane({ data, port: 0 })
  expect(second.firstTokens?.admin).toMatch(/^rail_admin_/)
  await second.close()
})

test('a control plane may be closed twice', async () => {
  const { control } = await startHarness()
  await Promise.all([control.close(), control.close()])
})
