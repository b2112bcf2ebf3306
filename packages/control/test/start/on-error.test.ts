import { expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../src/store/database.js'
import { type Harness, START, startHarness } from '../support.js'

let minute = 0

/** The codes of the warnings of this process while a change finds the database damaged, and the answer to it. */
async function damaged(
  onError: ((error: unknown) => unknown) | undefined,
): Promise<[status: number, codes: unknown[]]> {
  minute += 1
  vi.spyOn(performance, 'now').mockReturnValue(2e12 + minute * 60_000)
  const { call, data }: Harness = await startHarness({ onError: onError as (error: unknown) => void })
  const other = await openDatabase({ directory: data, now: START })
  onTestFinished(() => other.close())
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  other.all('DROP TABLE history')
  const { status } = await call('/v1/plans/free', { method: 'PUT', body: {} })
  await new Promise((resolve) => setImmediate(resolve))
  const codes = warned.mock.calls.map(([warning]) => (warning as Error & { code?: unknown }).code)
  warned.mockRestore()
  return [status, codes]
}

test("a fault that is nobody's request is a warning where no handler is given", async () => {
  const [status, codes] = await damaged(undefined)
  expect([status, codes.length]).toEqual([500, 1])
  expect(codes).not.toContain('RAIL_HOOK_FAILED')
})

test('() => {} silences it', async () => {
  expect(await damaged(() => {})).toEqual([500, []])
})

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('no log')
    },
  ],
  ['rejects', () => Promise.reject(new Error('no log'))],
])('a handler that %s is a warning, and changes no answer', async (_, onError) => {
  expect(await damaged(onError)).toEqual([500, ['RAIL_HOOK_FAILED']])
})
