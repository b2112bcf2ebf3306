import { createLimiter, RailError } from '@rail/core'
import { afterEach, describe, expect, test } from 'vitest'
import { type SyncChanges, type SyncOptions, type SyncResponse, syncPlans } from '../../src/index.js'
import { answerJson, DOCUMENT, fakeControlPlane } from '../support/fake-control-plane.js'
import { closeAll, synced } from '../support/synced.js'

afterEach(closeAll)

const NO_CHANGES: SyncChanges = {
  defaultPlan: 'free',
  plans: [],
  removedPlans: [],
  customers: [],
  removedCustomers: [],
}

describe('limits', () => {
  test('come from the first answer, at once', async () => {
    const { plans, plane, perSecond, exchanged } = await synced()
    expect([plans.status().source, perSecond('acme')]).toEqual(['none', undefined])
    await exchanged()
    expect(plans.status()).toMatchObject({ source: 'live', ageMs: 0, epoch: 'epoch-1', rev: 1, problem: undefined })
    expect([perSecond('acme'), perSecond('zeta')]).toEqual([50, 10])
    expect(plane.requests[0]).toMatchObject({
      v: 1,
      source: 'fallback',
      instance: plans.status().instance,
      pid: process.pid,
    })
    expect(plane.requests[0]).not.toHaveProperty('have')
    expect(plane.sent[0]?.token).toBe('Bearer secret-token')
  })

  test('stay the same array while nothing changes, and the second request has the revision', async () => {
    const { plans, plane, exchange } = await synced()
    await exchange()
    const before = plans.limitsFor('acme', '')
    await exchange()
    expect(plans.limitsFor('acme', '')).toBe(before)
    expect(plane.requests[2]).toMatchObject({ have: { epoch: 'epoch-1', rev: 1 }, servers: 1, source: 'live' })
  })

  test('change with a delta', async () => {
    const { plane, plans, perSecond, exchange, exchanged } = await synced()
    await exchanged()
    delta(plane, {
      plans: [['pro', { limits: { per_second: 60 } }]],
      customers: [['zeta', { plan: 'pro' }]],
      removedCustomers: ['acme'],
    })
    await exchange()
    expect([perSecond('acme'), perSecond('zeta')]).toEqual([undefined, 60])
    expect(plans.status()).toMatchObject({ rev: 2 })
    plane.answering = undefined
    await exchange()
    expect(plane.requests[2]?.have).toEqual({ epoch: 'epoch-1', rev: 2 })
  })

  test('change with a delta of very many customers, all at once', async () => {
    const { plane, perSecond, exchange, exchanged } = await synced()
    await exchanged()
    const many = Array.from({ length: 6_000 }, (_, index): [string, { plan: string }] => [`c${index}`, { plan: 'pro' }])
    delta(plane, { customers: many, removedCustomers: ['zeta'] })
    await exchange()
    expect([perSecond('c0'), perSecond('c5999'), perSecond('acme'), perSecond('zeta')]).toEqual([50, 50, 50, undefined])
    delta(plane, { customers: [...many.map(([key]): [string, object] => [key, {}]), ['bad', { plan: 'none' }]] }, 2)
    await exchange()
    expect([perSecond('c0'), perSecond('c5999')]).toEqual([50, 50])
  })

  test('are requested whole after a delta that cannot be applied', async () => {
    const { plane, exchange, exchanged, perSecond } = await synced()
    await exchanged()
    delta(plane, { removedPlans: ['pro'] })
    await exchange()
    expect(perSecond('acme')).toBe(50)
    plane.answering = undefined
    await exchange()
    expect(plane.requests.at(-1)).not.toHaveProperty('have')
    expect(plane.requests.at(-1)?.applyError?.message).toMatch(/^customers\.acme\.plan: .*"pro"/)
  })

  test('of a bucket that is half spent change at once: spent tokens stay spent', async () => {
    const { plane, plans, exchange, exchanged } = await synced()
    await exchanged()
    const limiter = createLimiter({ identify: (key: string) => key, limits: plans, clock: () => 0 })
    const left = async (): Promise<number | undefined> => (await limiter.take('zeta')).decision?.limits[0]?.remaining
    for (const expected of [9, 8, 7]) expect(await left()).toBe(expected)
    delta(plane, { plans: [['free', { limits: { per_second: 20 } }]] })
    await exchange()
    expect(await left()).toBe(16)
  })

  test("of an override end by the control plane's clock", async () => {
    const { plane, plans, perSecond, clock, exchange } = await synced()
    plane.serverTime = 5_000_000_000_000
    const overrides = { per_second: { tokens: 99, expires: 5_000_000_010_000 } }
    plane.document = { ...DOCUMENT, customers: [['acme', { plan: 'pro', overrides }]] }
    await exchange()
    expect(perSecond('acme')).toBe(99)
    expect(plans.explain('acme').limits[0]).toMatchObject({ rule: 'override', override: overrides.per_second })
    plane.rev = 1
    clock.advance(9_999)
    expect(perSecond('acme')).toBe(99)
    clock.advance(1)
    expect(perSecond('acme')).toBe(50)
  })
})

describe('a customer who is not in the document', () => {
  test('has no limit until the control plane has one for them, and is reported', async () => {
    const { plane, perSecond, exchange, exchanged } = await synced()
    await exchanged()
    expect(perSecond('new')).toBeUndefined()
    plane.document = { ...DOCUMENT, customers: [...DOCUMENT.customers, ['new', {}]] }
    plane.rev = 2
    await exchange()
    expect(plane.requests[1]?.report).toMatchObject({ seq: 1, unknown: ['new'], usage: [] })
    expect(perSecond('new')).toBe(10)
    await exchange()
    expect(plane.requests[2]).not.toHaveProperty('report')
  })

  test('has the default plan at once, by option, and is reported too', async () => {
    const { plane, perSecond, exchange, exchanged } = await synced({ newCustomers: 'default-plan' })
    await exchanged()
    expect(perSecond('new')).toBe(10)
    await exchange()
    expect(plane.requests[1]?.report?.unknown).toEqual(['new'])
  })

  test('is remembered in bounded memory', async () => {
    const { plane, plans, exchange, exchanged } = await synced()
    await exchanged()
    for (let index = 0; index < 25_000; index++) plans.limitsFor(`c${index}`, '')
    await exchange()
    expect(plane.requests[1]?.report?.unknown).toHaveLength(20_000)
  })
})

describe('a scope that no plan has', () => {
  test("never fails a request: the plan's own limits are enforced, and it is reported once, here and to the control plane", async () => {
    const { plane, plans, errors, exchange, exchanged } = await synced()
    await exchanged()
    expect(plans.limitsFor('acme', 'writes')).toHaveLength(1)
    for (let index = 0; index < 3; index++) expect(plans.limitsFor('acme', 'wriets')).toEqual([])
    expect(errors.map(({ code, message }) => [code, message])).toEqual([
      ['RAIL_UNKNOWN_SCOPE', expect.stringMatching(/^scope: .*"wriets"/)],
    ])
    expect(plans.status().unknownScopes).toEqual(['wriets'])
    await exchange()
    expect(plane.requests[1]?.unknownScopes).toEqual(['wriets'])
  })

  test('is no longer unknown when a plan has it', async () => {
    const { plane, plans, exchange, exchanged } = await synced()
    await exchanged()
    plans.limitsFor('acme', 'exports')
    delta(plane, { plans: [['pro', { scopes: { exports: { per_hour: 3 } } }]] })
    await exchange()
    expect(plans.limitsFor('acme', 'exports')).toHaveLength(1)
    expect(plans.status().unknownScopes).toEqual([])
  })
})

describe('split over servers', () => {
  test('each enforces its share, and the count may change while the plans do not', async () => {
    const { plane, plans, perSecond, exchange } = await synced()
    Object.assign(plane, { setting: 'split', servers: 4 })
    await exchange()
    expect([perSecond('zeta'), plans.limitsFor('zeta', '')[0]?.wholeBurst]).toEqual([3, 10])
    expect(plans.status()).toMatchObject({ setting: 'split', servers: 4, share: 0.25 })
    plane.servers = 5
    await exchange()
    expect(perSecond('zeta')).toBe(2)
    expect(plane.requests.at(-1)).toMatchObject({ servers: 4, setting: 'split' })
    plane.setting = 'each'
    await exchange()
    expect([perSecond('zeta'), plans.status().share]).toEqual([10, 1])
  })

  test('a store in which several servers count gets whole limits, and the number of servers is known', async () => {
    const plane = await fakeControlPlane()
    Object.assign(plane, { setting: 'split', servers: 4 })
    const { plans, exchanged } = await synced({}, plane)
    expect(plans.servers()).toBeUndefined()
    await exchanged()
    expect([plans.limitsFor('zeta', '')[0]?.tokens, plans.limitsFor('zeta', '', true)[0]?.tokens]).toEqual([3, 10])
    expect(plans.servers()).toBe(4)
  })

  test('the number of servers is known with whole limits too, and by a fallback', async () => {
    const plane = await fakeControlPlane()
    plane.servers = 3
    const fallback = { plans: {}, servers: { split: 2 } }
    const { plans, exchanged } = await synced({ fallback }, plane)
    expect(plans.servers()).toBe(2)
    await exchanged()
    expect([plans.servers(), plans.status().setting]).toEqual([3, 'each'])
  })

  test('without a control plane the last share stays, never the whole limit', async () => {
    const { plane, plans, perSecond, exchange } = await synced()
    Object.assign(plane, { setting: 'split', servers: 4 })
    await exchange()
    await plane.stop()
    for (let index = 0; index < 5; index++) await exchange()
    expect(perSecond('zeta')).toBe(3)
    expect(plans.status()).toMatchObject({
      source: 'live',
      servers: 4,
      failures: 5,
      problem: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

describe('revisions', () => {
  test('never go back within an epoch, even if a control plane lags behind', async () => {
    const { plane, plans, perSecond, exchange } = await synced()
    plane.rev = 5
    await exchange()
    Object.assign(plane, {
      rev: 4,
      setting: 'split',
      servers: 9,
      document: { ...DOCUMENT, defaultPlan: null, customers: [] },
    })
    await exchange()
    expect(plans.status()).toMatchObject({ rev: 5, setting: 'each', problem: undefined, failures: 0 })
    expect(perSecond('acme')).toBe(50)
  })

  test('start again with another epoch', async () => {
    const { plane, plans, perSecond, exchange } = await synced()
    plane.rev = 5
    await exchange()
    Object.assign(plane, { epoch: 'epoch-2', rev: 1, document: { ...DOCUMENT, customers: [] } })
    await exchange()
    expect(plans.status()).toMatchObject({ epoch: 'epoch-2', rev: 1 })
    expect(perSecond('acme')).toBeUndefined()
  })

  test.each<[string, (usual: SyncResponse) => object]>([
    [
      'a delta from elsewhere',
      (usual) => ({ ...usual, kind: 'delta', rev: 9, from: 7, changes: { ...NO_CHANGES, removedCustomers: ['acme'] } }),
    ],
    [
      'a delta of another epoch',
      (usual) => ({
        ...usual,
        kind: 'delta',
        epoch: 'other',
        rev: 2,
        from: 1,
        changes: { ...NO_CHANGES, removedCustomers: ['acme'] },
      }),
    ],
    ['unchanged at another revision', (usual) => ({ ...usual, kind: 'unchanged', rev: 9 })],
    ['unchanged of another epoch', (usual) => ({ ...usual, kind: 'unchanged', epoch: 'other' })],
  ])('that do not follow (%s) change nothing, and all is asked for', async (_, answer) => {
    const { plane, plans, perSecond, exchange, exchanged } = await synced()
    await exchanged()
    plane.answering = (request, response) => answerJson(response, answer(plane.answerTo(request)))
    await exchange()
    expect([perSecond('acme'), plans.status().rev]).toEqual([50, 1])
    plane.answering = undefined
    plane.rev = 9
    await exchange()
    expect(plane.requests.at(-1)).not.toHaveProperty('have')
    expect(plans.status()).toMatchObject({ rev: 9, problem: undefined })
    await exchange()
    expect(plane.requests.at(-1)?.have).toEqual({ epoch: 'epoch-1', rev: 9 })
  })
})

describe('at the start', () => {
  test('ready resolves with the first answer', async () => {
    const { plans } = await synced()
    expect(await plans.ready()).toBe('live')
    expect(await plans.ready({ live: true })).toBe('live')
  })

  test('ready waits for readyWithin at most, and rejects only with live: true', async () => {
    const plane = await fakeControlPlane()
    plane.answering = () => {}
    const { plans, timers } = await synced({}, plane)
    const isReady = (afterMs: number): boolean => afterMs === 2_003
    const ready = plans.ready()
    timers.fire(isReady)
    expect(await ready).toBe('none')
    const live = plans.ready({ live: true })
    timers.fire(isReady)
    await expect(live).rejects.toThrow(expect.objectContaining({ code: 'RAIL_SYNC_FAILED' }))
  })

  test('a control plane that is unavailable stops nothing: there are no limits, and that is reported', async () => {
    const plane = await fakeControlPlane()
    await plane.stop()
    const { plans, errors, exchanged } = await synced({}, plane)
    await exchanged()
    expect(plans.limitsFor('acme', 'writes')).toEqual([])
    expect(errors.map((error) => error.message)).toEqual([
      expect.stringMatching(/ECONNREFUSED.* No limits are in force\. The next try is in 1 s\./),
    ])
    await plane.restart()
  })

  test('the fallback is in force until there is an answer, also for customers who are not in it', async () => {
    const plane = await fakeControlPlane()
    await plane.stop()
    const fallback = { plans: { safe: { limits: { per_second: 5 } } }, defaultPlan: 'safe' }
    const { plans, perSecond, errors, exchange, exchanged } = await synced({ fallback }, plane)
    expect([perSecond('acme'), plans.status().source]).toEqual([5, 'fallback'])
    await exchanged()
    expect(errors[0]?.message).toContain('The limits in force stay (fallback).')
    await plane.restart()
    await exchange()
    expect([perSecond('acme'), plans.status().source]).toEqual([50, 'live'])
    expect(plane.requests[0]?.report?.unknown).toEqual(['acme'])
  })

  test.each<[string, Readonly<Record<string, unknown>>, string, RegExp]>([
    ['an unknown option', { tokn: 'x' }, 'RAIL_UNKNOWN_OPTION', /Did you mean "token"/],
    ['no url', { url: 'rail.internal' }, 'RAIL_BAD_OPTION', /^url: .*got "rail\.internal"/],
    ['a url of another kind', { url: 'ftp://127.0.0.1' }, 'RAIL_BAD_OPTION', /^url: .*got ftp:/],
    ['a password in the url', { url: 'https://a:b@rail.internal' }, 'RAIL_BAD_OPTION', /^url: .*user/],
    [
      'plain http to another machine',
      { url: 'http://rail.internal' },
      'RAIL_BAD_OPTION',
      /^url: .*rail\.internal, got http:/,
    ],
    [
      'plain http to what only begins like this machine',
      { url: 'http://127.0.0.1.example.com' },
      'RAIL_BAD_OPTION',
      /^url: .*got http:/,
    ],
    ['no token', { token: undefined }, 'RAIL_BAD_OPTION', /^token: .*got undefined/],
    ['a token that would end the header', { token: 'secret\r\nX: y' }, 'RAIL_BAD_OPTION', /^token: .*other characters/],
    ['a duration that is none', { readyWithin: 'soon' }, 'RAIL_BAD_DURATION', /soon/],
    ['no customers to be counted', { mostCustomers: 0 }, 'RAIL_BAD_OPTION', /mostCustomers.*got 0/],
    ['a wrong fallback', { fallback: { plan: {} } }, 'RAIL_BAD_PLAN', /Did you mean "plans"/],
  ])('%s is an error', (_, options, code, message) => {
    const make = (): unknown =>
      syncPlans({ url: 'https://127.0.0.1:1', token: 'secret', ...options } as unknown as SyncOptions)
    expect(make).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }))
    expect(make).not.toThrow(/secret/)
    expect(make).toThrow(RailError)
  })

  test('plain http to another machine is allowed by a flag', async () => {
    const plans = syncPlans({ url: 'http://rail.invalid', token: 'x', allowPlainHttp: true, onError: () => {} })
    await plans.close()
  })
})

/** Has a control plane answer with changes from the revision before, once. */
function delta(
  plane: Awaited<ReturnType<typeof fakeControlPlane>>,
  changes: Partial<SyncChanges>,
  from = plane.rev,
): void {
  plane.rev = from + 1
  plane.answering = (request, response) => {
    const { document, ...usual } = { document: undefined, ...plane.answerTo(request) }
    answerJson(response, { ...usual, kind: 'delta', from, changes: { ...NO_CHANGES, ...changes } })
  }
}
