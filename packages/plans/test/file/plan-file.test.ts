import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createLimiter, manualClock, type RailError } from '@rail/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type PlanFile, type PlanFileOptions, planFile, type Schedule } from '../../src/index.js'
import { manualSchedule } from '../support/manual-schedule.js'

let folder: string
let path: string
let errors: RailError[]
let files: PlanFile[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rail-plans-'))
  path = join(folder, 'plans.yaml')
  errors = []
  files = []
})

afterEach(() => {
  for (const file of files) file.close()
  rmSync(folder, { recursive: true })
})

const yaml = (perSecond: unknown, rest = ''): string =>
  `plans:\n  free:\n    limits: { per_second: ${perSecond} }\n${rest}defaultPlan: free\n`

/** No regular checks; the second look of a check comes at once. */
function looks(): Schedule {
  let isFirst = true
  return (task) => {
    if (!isFirst) setImmediate(task)
    isFirst = false
    return () => {}
  }
}

function open(options: PlanFileOptions = {}): PlanFile {
  const file = planFile(path, {
    onError: (error) => errors.push(error),
    schedule: looks(),
    ...options,
  })
  files.push(file)
  return file
}

const perSecondOf = (file: PlanFile): number | undefined => file.limitsFor('acme', '')[0]?.tokens

describe('at the start', () => {
  test('YAML', () => {
    writeFileSync(path, yaml(10))
    expect(perSecondOf(open())).toBe(10)
  })

  test('JSON, by its ending, with a $schema for editors', () => {
    path = join(folder, 'plans.json')
    writeFileSync(path, JSON.stringify({ $schema: 'x', plans: { a: { limits: { per_second: 7 } } }, defaultPlan: 'a' }))
    expect(perSecondOf(open())).toBe(7)
  })

  test('a customer is the string as it is written, even if it looks like a number', () => {
    writeFileSync(
      path,
      yaml(10, '  pro:\n    limits: { per_second: 50 }\ncustomers:\n  007: { plan: pro }\n  0x10: { plan: pro }\n'),
    )
    const file = open()
    expect(['007', '7', '0x10', '16'].map((key) => file.limitsFor(key, '')[0]?.tokens)).toEqual([50, 10, 50, 10])
  })

  test('a wrong file is an error with the path and line of each problem', () => {
    writeFileSync(path, 'plans:\n  free:\n    limit: { per_second: 10 }\ncustomers:\n  acme: { plan: fre }\n')
    expect(open).toThrow(
      expect.objectContaining({
        code: 'RAIL_BAD_PLAN',
        message:
          `${path}:3:5: plans.free.limit: expected a member of a plan (limits, scopes), got "limit". Did you mean "limits"?\n` +
          `${path}:5:11: customers.acme.plan: expected the name of a plan, got "fre". Did you mean "free"? Add it to plans, or name another.`,
      }),
    )
  })

  test('a file that is not there is an error', () => {
    expect(open).toThrow(expect.objectContaining({ code: 'RAIL_BAD_PLAN', message: expect.stringContaining('ENOENT') }))
  })

  test('wrong options are errors', () => {
    writeFileSync(path, yaml(10))
    expect(() => planFile(path, { evry: '1s' } as PlanFileOptions)).toThrow(/Did you mean "every"\?/)
    expect(() => planFile(path, { every: 0 })).toThrow(expect.objectContaining({ code: 'RAIL_BAD_DURATION' }))
    expect(() => planFile(path, { onReload: 5 } as never)).toThrow(expect.objectContaining({ code: 'RAIL_BAD_OPTION' }))
    expect(() => planFile('')).toThrow(`planFile(): expected the path of a file, got "". Write planFile('plans.yaml').`)
  })
})

describe('a change is noticed', () => {
  test('when the file is written', async () => {
    writeFileSync(path, yaml(10))
    const onReload = vi.fn()
    const file = open({ onReload })
    writeFileSync(path, yaml(20))
    await file.reload()
    expect(perSecondOf(file)).toBe(20)
    expect(onReload).toHaveBeenCalledOnce()
  })

  test('when an editor renames another file to its name', async () => {
    writeFileSync(path, yaml(10))
    const file = open()
    writeFileSync(`${path}.new`, yaml(20))
    renameSync(`${path}.new`, path)
    await file.reload()
    expect(perSecondOf(file)).toBe(20)
  })

  test('when a ConfigMap is swapped: the file is a link into a folder that is a link', async () => {
    for (const [name, perSecond] of [
      ['..v1', 10],
      ['..v2', 20],
    ] as const) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'plans.yaml'), yaml(perSecond))
    }
    symlinkSync('..v1', join(folder, '..data'))
    symlinkSync(join('..data', 'plans.yaml'), path)
    const file = open()
    expect(perSecondOf(file)).toBe(10)
    symlinkSync('..v2', join(folder, '..data_tmp'))
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'))
    await file.reload()
    expect(perSecondOf(file)).toBe(20)
  })

  test('when size and modification time stay the same', async () => {
    writeFileSync(path, yaml(10))
    // Long ago, so that the file is not read for its youth alone.
    utimesSync(path, 1_000_000, 1_000_000)
    const file = open()
    await file.reload()
    writeFileSync(path, yaml(20))
    utimesSync(path, 1_000_000, 1_000_000)
    await file.reload()
    expect(perSecondOf(file)).toBe(20)
  })

  test('by regular checks, which do not keep the process alive', async () => {
    writeFileSync(path, yaml(10))
    const timers = manualSchedule()
    const file = open({ schedule: timers.schedule, every: '5s' })
    expect(timers.fire()).toBe(150)
    for (const perSecond of [20, 30]) {
      await timers.running()
      expect(timers.waits()).toEqual([4_850])
      writeFileSync(path, yaml(perSecond))
      timers.fire()
      await timers.running()
      expect(timers.fire()).toBe(150)
      await timers.running()
      expect(perSecondOf(file)).toBe(perSecond)
    }
    const program = `import { planFile } from '../../src/index.js'; planFile(${JSON.stringify(path)}, { every: 10 })`
    await expect(
      run(['-C', '@rail/source', '--import', 'tsx', '--input-type=module', '-e', program]),
    ).resolves.toBeDefined()
  })

  test('within two seconds by default, both looks included', async () => {
    writeFileSync(path, yaml(10))
    const timers = manualSchedule()
    const file = open({ schedule: timers.schedule })
    timers.fire()
    await timers.running()
    writeFileSync(path, yaml(20))
    let waited = 0
    while (perSecondOf(file) === 10) {
      waited += timers.fire()
      await timers.running()
    }
    expect(waited).toBe(2_000)
  })

  test('by reload(), which a program with nothing else to do waits for', async () => {
    writeFileSync(path, yaml(10))
    const program = `
      import { writeFileSync } from 'node:fs'
      import { planFile } from '../../src/index.js'
      const file = planFile(${JSON.stringify(path)})
      writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(yaml(20))})
      await file.reload()
      console.log(file.limitsFor('acme', '')[0].tokens)`
    expect(await run(['-C', '@rail/source', '--import', 'tsx', '--input-type=module', '-e', program])).toMatchObject({
      stdout: '20\n',
    })
  })

  test('no longer after close()', async () => {
    writeFileSync(path, yaml(10))
    const timers = manualSchedule()
    const file = open({ schedule: timers.schedule })
    file.close()
    expect(timers.waits()).toEqual([])
    writeFileSync(path, yaml(20))
    await file.reload()
    expect(perSecondOf(file)).toBe(10)
  })

  test('but not the same content: the array stays the same', async () => {
    writeFileSync(path, yaml(10))
    const onReload = vi.fn()
    const file = open({ onReload })
    const before = file.limitsFor('acme', '')
    writeFileSync(path, yaml(10))
    await file.reload()
    expect(file.limitsFor('acme', '')).toBe(before)
    expect(onReload).not.toHaveBeenCalled()
  })

  test('under a bucket that is half spent: what was spent stays spent', async () => {
    writeFileSync(path, yaml(10))
    const file = open()
    const clock = manualClock()
    const limiter = createLimiter({ identify: (key: string) => key, limits: file, clock })
    const remaining = async (): Promise<number | undefined> =>
      (await limiter.take('acme')).decision?.limits[0]?.remaining
    for (const expected of [9, 8, 7, 6]) expect(await remaining()).toBe(expected)
    writeFileSync(path, yaml(20))
    await file.reload()
    expect(await remaining()).toBe(15)
  })
})

let minute = 0

describe('a file that is being written', () => {
  const whole = yaml(20)
  /** A prefix of it that is valid too: without the default plan nobody has a limit. */
  const half = whole.slice(0, whole.indexOf('defaultPlan'))

  test('is not taken before it has stood still for two looks', async () => {
    writeFileSync(path, yaml(10))
    const timers = manualSchedule()
    const onReload = vi.fn()
    const file = open({ schedule: timers.schedule, onReload })
    for (const written of [half.slice(0, 20), half, whole.slice(0, -5), whole]) {
      writeFileSync(path, written)
      expect(timers.fire()).toBe(150)
      await timers.running()
      expect([perSecondOf(file), onReload.mock.calls.length]).toEqual([10, 0])
    }
    expect(timers.fire()).toBe(150)
    await timers.running()
    expect([perSecondOf(file), onReload.mock.calls.length]).toEqual([20, 1])
    expect(errors).toEqual([])
  })

  test('at the start is looked at again at once', async () => {
    writeFileSync(path, half)
    const timers = manualSchedule()
    const file = open({ schedule: timers.schedule })
    writeFileSync(path, whole)
    let waited = 0
    while (perSecondOf(file) === undefined) {
      waited += timers.fire()
      await timers.running()
    }
    expect(waited).toBe(300)
  })

  test('by removing it first is not missed: that is no failure', async () => {
    writeFileSync(path, yaml(10))
    const timers = manualSchedule()
    const file = open({ schedule: timers.schedule })
    rmSync(path)
    timers.fire()
    await timers.running()
    writeFileSync(path, whole)
    for (const _ of [1, 2]) {
      timers.fire()
      await timers.running()
    }
    expect([perSecondOf(file), errors, file.status().problem]).toEqual([20, [], undefined])
  })

  test('is left alone after close()', async () => {
    writeFileSync(path, yaml(10))
    const timers = manualSchedule()
    const file = open({ schedule: timers.schedule })
    writeFileSync(path, whole)
    timers.fire()
    await timers.running()
    const reloaded = file.reload()
    file.close()
    timers.fire()
    await reloaded
    expect([perSecondOf(file), timers.waits()]).toEqual([10, []])
  })
})

describe('a reload is in force, and warned of,', () => {
  const customers = (count: number): string =>
    `customers:\n${Array.from({ length: count }, (_, index) => `  c${index}: {}\n`).join('')}`

  test.each<[string, string, string, string | undefined]>([
    [
      'where it takes away the default plan',
      yaml(10),
      yaml(10).replace(/defaultPlan.*/, ''),
      'expected the default plan "free", as before, got none, so customers without a plan have no limit.',
    ],
    [
      'where it takes away most customers',
      yaml(10, customers(9)),
      yaml(10, customers(4)),
      'expected 9 customers, as before, got 4.',
    ],
    ['where it takes away all of them', yaml(10, customers(1)), yaml(10), 'expected 1 customers, as before, got 0.'],
    ['but not of fewer customers', yaml(10, customers(10)), yaml(10, customers(5)), undefined],
    ['but not of another default plan', yaml(10), yaml(10).replaceAll('free', 'basic'), undefined],
    [
      'but not where there was no default plan',
      yaml(10).replace(/defaultPlan.*/, ''),
      yaml(20).replace(/defaultPlan.*/, ''),
      undefined,
    ],
  ])('%s', async (_, before, after, message) => {
    writeFileSync(path, before)
    const onReload = vi.fn()
    const file = open({ onReload })
    writeFileSync(path, after)
    await file.reload()
    await file.reload()
    const expected = `${path}: ${message} It is in force: if it was not meant, put back what is missing.`
    expect(errors.map(({ code, message }) => [code, message])).toEqual(
      message === undefined ? [] : [['RAIL_PLANS_SHRANK', expected]],
    )
    expect([onReload.mock.calls.length, file.status().problem]).toEqual([1, undefined])
  })
})

describe('a wrong file', () => {
  test.each([
    ['is not YAML', 'plans: [', /^.*plans\.yaml:\d+:\d+: the document: /],
    ['has a wrong limit', yaml('-5'), /plans\.yaml:3:15: plans\.free\.limits\.per_second: .*got -5/],
    ['names a customer twice', yaml(20, 'customers:\n  a: {}\n  a: {}\n'), /:6:3: customers\.a: .*twice/],
    ['is empty', '', /got null/],
  ])('that %s keeps the last good plans, and is reported once', async (_, text, message) => {
    writeFileSync(path, yaml(10))
    const onReload = vi.fn()
    const file = open({ onReload })
    writeFileSync(path, text)
    await file.reload()
    await file.reload()
    expect(perSecondOf(file)).toBe(10)
    expect(errors.map((error) => error.message)).toEqual([expect.stringMatching(message)])
    expect(file.status().problem).toBe(errors[0])
    expect(onReload).not.toHaveBeenCalled()

    writeFileSync(path, yaml(30))
    await file.reload()
    expect(perSecondOf(file)).toBe(30)
    expect(file.status().problem).toBeUndefined()
  })

  test('that is correct again is no longer a problem', async () => {
    writeFileSync(path, yaml(10))
    const file = open()
    writeFileSync(path, 'plans: [')
    await file.reload()
    writeFileSync(path, yaml(10))
    await file.reload()
    expect(file.status().problem).toBeUndefined()
    writeFileSync(path, 'plans: [')
    await file.reload()
    expect(errors).toHaveLength(2)
  })

  test('that is gone keeps the last good plans, and is reported once', async () => {
    writeFileSync(path, yaml(10))
    const file = open()
    rmSync(path)
    await file.reload()
    await file.reload()
    expect(perSecondOf(file)).toBe(10)
    expect(errors.map((error) => error.message)).toEqual([expect.stringContaining('ENOENT')])
    writeFileSync(path, yaml(20))
    await file.reload()
    expect([perSecondOf(file), file.status().problem]).toEqual([20, undefined])
  })

  test('that is gone and comes back is no longer a problem, and is reported again when it is gone again', async () => {
    const target = join(folder, 'target.yaml')
    writeFileSync(target, yaml(10))
    utimesSync(target, 1_000_000, 1_000_000)
    symlinkSync(target, path)
    const file = open()
    await file.reload()
    for (const times of [1, 2]) {
      rmSync(path)
      await file.reload()
      expect(file.status().problem?.message).toContain('ENOENT')
      expect(errors).toHaveLength(times)
      symlinkSync(target, path)
      await file.reload()
      expect(file.status().problem).toBeUndefined()
    }
  })

  test('is one without a scope that the program uses', async () => {
    const scoped = (scopes: string): string => yaml(10).replace('defaultPlan', `    scopes: ${scopes}\ndefaultPlan`)
    writeFileSync(path, scoped('{ writes: { per_minute: 60 }, other: {} }'))
    const file = open()
    file.limitsFor('acme', 'writes')
    writeFileSync(path, scoped('{ writs: { per_minute: 60 } }'))
    await file.reload()
    expect(errors.map((error) => error.message)).toEqual([expect.stringMatching(/plans\.yaml: .*scopes .*writes/)])
    expect(file.limitsFor('acme', 'writes')).toHaveLength(1)
    writeFileSync(path, scoped('{ writes: {} }'))
    await file.reload()
    expect(file.limitsFor('acme', 'writes')).toEqual([])
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('no log')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('no log')
      },
    ],
  ])('whose listener %s keeps the last good plans too', async (_, onError) => {
    writeFileSync(path, yaml(10))
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    // One warning for each code and minute: a minute of its own.
    minute += 1
    vi.spyOn(performance, 'now').mockReturnValue(1e12 + minute * 60_000)
    const file = open({ onError })
    writeFileSync(path, 'plans: [')
    await file.reload()
    expect(perSecondOf(file)).toBe(10)
    expect(warned).toHaveBeenCalledWith(expect.objectContaining({ code: 'RAIL_HOOK_FAILED' }))
  })
})

test('status has the path of the plans and when they were read', async () => {
  writeFileSync(path, yaml(10))
  const clock = manualClock(5_000)
  const file = open({ clock })
  clock.advance(1_000)
  await file.reload()
  expect(file.status()).toEqual({ path, loadedAt: 5_000, problem: undefined })
  expect(file.explain('acme').limits).toMatchObject([{ name: 'per_second', rule: 'default plan' }])
})

const run = (args: string[]): Promise<unknown> =>
  promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname, timeout: 20_000 })
