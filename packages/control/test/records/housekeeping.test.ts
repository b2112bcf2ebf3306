import { expect, test } from 'vitest'
import { sureClock } from '../../src/records/housekeeping.js'

const DAY_MS = 86_400_000

test('what is deleted is old by the time that has passed, whatever a wrong clock says', () => {
  let [wall, elapsed] = [100 * DAY_MS, 5_000]
  const sure = sureClock(
    () => wall,
    () => elapsed,
  )
  const after = (ms: number, wrongBy = 0): number => {
    elapsed += ms
    wall += ms
    const shown = wall
    wall += wrongBy
    const read = sure()
    wall = shown
    return read
  }
  expect(after(60_000)).toBe(wall)
  expect(after(60_000, 31 * DAY_MS)).toBe(wall)
  expect(after(60_000, -DAY_MS)).toBe(wall - DAY_MS)
  expect(after(60_000)).toBe(wall)
})
