import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readCopy, writeCopy } from '../../src/in-force/disk-copy.js'
import { loadPlans } from '../../src/in-force/loaded-plans.js'
import { DOCUMENT, fakeControlPlane } from '../support/fake-control-plane.js'
import { closeAll, type Synced, synced } from '../support/synced.js'

let folder: string
let copy: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rail-copy-'))
  copy = join(folder, 'deep', 'plans.copy')
})

afterEach(async () => {
  await closeAll()
  rmSync(folder, { recursive: true })
})

const URL = 'http://127.0.0.1:1/'
const loaded = (customers: number, rev = 1) =>
  loadPlans(
    {
      epoch: 'e',
      rev,
      setting: 'split',
      servers: 4,
      ...DOCUMENT,
      customers: Array.from({ length: customers }, (_, index) => [`c${index}`, { plan: 'pro' }]),
    },
    Date.now,
  )

/** Waits for the copy to be written: closing waits for it. */
async function written(one: Synced): Promise<void> {
  await one.exchanged()
  await one.plans.close()
}

describe('the copy on disk', () => {
  test('is in force while the control plane is unavailable at the start, with the last share', async () => {
    const plane = await fakeControlPlane()
    Object.assign(plane, { setting: 'split', servers: 4, rev: 7 })
    await written(await synced({ copy }, plane))
    await plane.stop()
    const { plans, perSecond, errors, exchanged, exchange } = await synced({ copy }, plane)
    await exchanged()
    expect(plans.status()).toMatchObject({ source: 'disk', rev: 7, servers: 4, share: 0.25, ageMs: undefined })
    expect([perSecond('zeta'), perSecond('acme')]).toEqual([3, 13])
    expect(errors[0]?.message).toContain('The limits in force stay (disk)')

    await plane.restart()
    await exchange()
    expect(plane.requests.at(-1)).toMatchObject({ have: { epoch: 'epoch-1', rev: 7 }, servers: 4, source: 'disk' })
    expect(plans.status()).toMatchObject({ source: 'live', rev: 7, ageMs: 0 })
  })

  test('has the last answer and its number of servers, and only its owner can read it', async () => {
    const one = await synced({ copy })
    await one.exchanged()
    one.plane.rev = 2
    await one.exchange()
    Object.assign(one.plane, { setting: 'split', servers: 9 })
    await one.exchange()
    await one.plans.close()
    expect(await readCopy(copy, `${one.plane.url}/`)).toMatchObject({
      rev: 2,
      setting: 'split',
      servers: 9,
      savedAt: one.clock(),
    })
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, 'deep'))).toEqual(['plans.copy'])
    expect(readFileSync(copy, 'utf8')).not.toContain(one.token)
  })

  test('is written after a change, and otherwise once an hour, so that its age is known', async () => {
    const one = await synced({ copy })
    await one.exchanged()
    const { plane, clock, exchange } = one
    const first = clock()
    const savedAt = async (): Promise<number | undefined> => {
      await exchange()
      await exchange()
      return (await readCopy(copy, `${plane.url}/`))?.savedAt
    }
    expect(await savedAt()).toBe(first)
    clock.advance(3_600_000)
    expect(await savedAt()).toBeGreaterThan(first)
  })

  test('does not replace an answer that came first', async () => {
    const plane = await fakeControlPlane()
    await written(await synced({ copy }, plane))
    Object.assign(plane, { epoch: 'epoch-2', rev: 1, document: { ...DOCUMENT, customers: [] } })
    const { plans, exchanged } = await synced({ copy }, plane)
    await exchanged()
    expect(plans.status()).toMatchObject({ source: 'live', epoch: 'epoch-2' })
  })

  test('from another control plane is not used, and that is reported', async () => {
    const plane = await fakeControlPlane()
    await written(await synced({ copy }, plane))
    const other = await fakeControlPlane()
    await other.stop()
    const { plans, errors, exchanged } = await synced({ copy }, other)
    await exchanged()
    expect(plans.status().source).toBe('none')
    expect(errors[0]?.message).toMatch(/The copy of the plans at .* is not used: .*another control plane/)
    await other.restart()
  })

  test('that cannot be written is reported, and stops nothing', async () => {
    mkdirSync(copy, { recursive: true })
    const one = await synced({ copy })
    await one.exchange()
    await one.exchange()
    expect(one.plans.status()).toMatchObject({ source: 'live', problem: undefined })
    expect(one.errors.map((error) => error.message)).toEqual([expect.stringMatching(/is not used: EISDIR/)])
    await one.plans.close()
    expect(readdirSync(join(folder, 'deep'))).toEqual(['plans.copy'])
  })

  test('with plans that core refuses is not used', async () => {
    mkdirSync(join(folder, 'deep'))
    const { plane, plans, errors, exchanged } = await (async () => {
      const down = await fakeControlPlane()
      const bad = { ...(await loaded(1)), customers: new Map([['c', { plan: 'none' }]]) }
      await writeCopy(copy, bad, `${down.url}/`, 5)
      await down.stop()
      return synced({ copy }, down)
    })()
    await exchanged()
    expect(plans.status().source).toBe('none')
    expect(errors[0]?.message).toMatch(/is not used: .*customers\.c\.plan: .*"none"/)
    await plane.restart()
  })
})

describe('a damaged copy', () => {
  test('is never used, wherever it was cut', async () => {
    await writeCopy(copy, await loaded(2_500), URL, 5)
    const bytes = readFileSync(copy)
    for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 200)) {
      writeFileSync(copy, bytes.subarray(0, length))
      await expect(readCopy(copy, URL)).rejects.toThrow('damaged')
    }
  })

  test('is never used, whichever bit is wrong', async () => {
    await writeCopy(copy, await loaded(20), URL, 5)
    const bytes = readFileSync(copy)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
        const wrong = Buffer.from(bytes)
        wrong[at] = (wrong[at] as number) ^ (1 << bit)
        writeFileSync(copy, wrong)
        await expect(readCopy(copy, URL)).rejects.toThrow()
      }),
    )
  })

  test('of another format is not used', async () => {
    mkdirSync(join(folder, 'deep'))
    writeFileSync(copy, '{"some":"other file"}\n')
    await expect(readCopy(copy, URL)).rejects.toThrow('damaged')
  })

  test('is reported at the start, and an answer replaces it', async () => {
    mkdirSync(join(folder, 'deep'))
    writeFileSync(copy, 'half a fi')
    const one = await synced({ copy })
    await one.exchanged()
    expect(one.errors.map((error) => error.message)).toEqual([expect.stringMatching(/is not used: it is damaged/)])
    await one.plans.close()
    expect(await readCopy(copy, `${one.plane.url}/`)).toMatchObject({ rev: 1 })
  })
})

describe('writing', () => {
  test('and reading give the same plans, with any number of customers', async () => {
    for (const customers of [0, 1, 999, 1_000, 1_001, 2_500]) {
      const what = await loaded(customers)
      await writeCopy(copy, what, URL, 5)
      const read = await readCopy(copy, URL)
      expect(read).toMatchObject({ epoch: 'e', rev: 1, setting: 'split', servers: 4, defaultPlan: 'free', savedAt: 5 })
      expect(read?.customers).toEqual([...what.customers])
      expect(read?.plans).toEqual([...what.plans])
    }
  })

  test('by many at once leaves a whole copy of one of them', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, index) => loaded(50 * index, index)))
    await Promise.all(all.map((one) => writeCopy(copy, one, URL, 5)))
    const read = await readCopy(copy, URL)
    expect(read?.customers).toHaveLength(50 * (read?.rev ?? Number.NaN))
    expect(readdirSync(join(folder, 'deep'))).toEqual(['plans.copy'])
  })

  test('that fails leaves the copy from before, and nothing else', async () => {
    await writeCopy(copy, await loaded(1), URL, 5)
    const broken = {
      ...(await loaded(2)),
      plans: new Map([['free', { limits: { per_second: 1n as unknown as number } }]]),
    }
    await expect(writeCopy(copy, broken, URL, 6)).rejects.toThrow('BigInt')
    expect(await readCopy(copy, URL)).toMatchObject({ savedAt: 5 })
    expect(readdirSync(join(folder, 'deep'))).toEqual(['plans.copy'])
  })

  test('removes old files of killed processes, and nothing else', async () => {
    mkdirSync(join(folder, 'deep'))
    const [old, fresh, other] = ['plans.copy.1.x.tmp', 'plans.copy.2.x.tmp', 'else.tmp'].map((name) =>
      join(folder, 'deep', name),
    ) as [string, string, string]
    for (const path of [old, fresh, other]) writeFileSync(path, '')
    for (const path of [old, other]) utimesSync(path, 0, 0)
    await written(await synced({ copy }))
    expect([old, fresh, other, copy].map((path) => existsSync(path))).toEqual([false, true, true, true])
  })
})

test('a folder that cannot be created is reported once a minute', async () => {
  writeFileSync(join(folder, 'file'), '')
  const one = await synced({ copy: join(folder, 'file', 'plans.copy') })
  for (let index = 0; index < 3; index++) await one.exchange()
  await one.plans.close()
  expect(one.errors.map((error) => error.message)).toEqual([expect.stringContaining('ENOTDIR')])
})
