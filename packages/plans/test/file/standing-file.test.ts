import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { StandingFile } from '../../src/file/standing-file.js'

test('a file that grows while it is read is not taken', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rail-standing-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'plans.yaml')
  // Large enough that it is still being read some turns later.
  writeFileSync(path, Buffer.alloc(32 * 1024 * 1024, '#'))
  const file = new StandingFile(path)
  const looking = file.look()
  for (let turn = 0; turn < 400; turn++) {
    await setImmediate()
    if (turn >= 200 && turn % 20 === 0) appendFileSync(path, '#')
  }
  const look = await looking
  // Not the bytes, which would fill the terminal.
  expect(typeof look === 'string' ? look : Object.keys(look)).toBe('changing')
  await file.look()
  expect(await file.look()).toHaveProperty('bytes')
})
