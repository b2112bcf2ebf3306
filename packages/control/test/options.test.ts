import { RailError } from '@rail/core'
import { expect, test } from 'vitest'
import { type ControlPlaneOptions, startControlPlane } from '../src/index.js'
import { dataDirectory, startHarness } from './support.js'

test.each([
  [{ data: '' }, 'RAIL_BAD_OPTION'],
  [{ port: -1 }, 'RAIL_BAD_OPTION'],
  [{ port: 1.5 }, 'RAIL_BAD_OPTION'],
  [{ syncEvery: 'soon' }, 'RAIL_BAD_DURATION'],
  [{ syncEvery: '99ms' }, 'RAIL_BAD_OPTION'],
  [{ syncEvery: '61s' }, 'RAIL_BAD_OPTION'],
  [{ driver: 'pg' }, 'RAIL_BAD_OPTION'],
  [{ clock: 5 }, 'RAIL_BAD_OPTION'],
  [{ prot: 80 }, 'RAIL_UNKNOWN_OPTION'],
])('wrong options are refused when the control plane is started: %j', async (options, code) => {
  const data = dataDirectory()
  // Deliberately wrong.
  const started = startControlPlane({ data, ...options } as ControlPlaneOptions)
  await expect(started).rejects.toEqual(expect.any(RailError))
  await expect(started).rejects.toMatchObject({ code })
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
