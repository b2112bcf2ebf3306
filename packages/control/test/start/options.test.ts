import { RailError } from '@rail/core'
import { expect, test } from 'vitest'
import { type ControlPlaneOptions, startControlPlane } from '../../src/index.js'
import { dataDirectory, startHarness } from '../support.js'

test.each([
  [{ data: '' }, 'RAIL_BAD_OPTION', /^data: expected the path of a directory, got ""\. Write data: '\.\/data'\.$/],
  [{ data: undefined }, 'RAIL_BAD_OPTION', /\bdata\b.*undefined/],
  [{ port: -1 }, 'RAIL_BAD_OPTION', /\bport\b.*0 to 65535.*-1/],
  [{ port: '80' }, 'RAIL_BAD_OPTION', /\bport\b.*"80"/],
  [{ host: 127 }, 'RAIL_BAD_OPTION', /\bhost\b.*127/],
  [{ syncEvery: 'soon' }, 'RAIL_BAD_DURATION', /"soon"/],
  [{ syncEvery: '99ms' }, 'RAIL_BAD_OPTION', /\bsyncEvery\b.*'100ms' to '1m'.*"99ms"/],
  [{ syncEvery: '61s' }, 'RAIL_BAD_OPTION', /\bsyncEvery\b.*"61s"/],
  [{ driver: 'pg' }, 'RAIL_BAD_OPTION', /\bdriver\b.*'node' or 'libsql'.*"pg"/],
  [{ clock: 5 }, 'RAIL_BAD_OPTION', /\bclock\b.*5/],
  [{ onError: {} }, 'RAIL_BAD_OPTION', /\bonError\b.*a function/],
  [{ prot: 80 }, 'RAIL_UNKNOWN_OPTION', /"?prot"?.*port/],
])('wrong options are refused when the control plane is started: %j', async (options, code, message) => {
  const data = dataDirectory()
  // Deliberately wrong.
  const started = startControlPlane({ data, ...options } as ControlPlaneOptions)
  await expect(started).rejects.toEqual(expect.any(RailError))
  await expect(started).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
})

test('a port in use is an error, closes the database, and creates no tokens', async () => {
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
