import { expect, test } from 'vitest'
import { startHarness } from '../support.js'

test('a plan is created, read, listed and removed', async () => {
  const { call } = await startHarness()
  const made = await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10, per_minute: 300 } } })
  expect(made.status).toBe(200)
  expect(made.body).toMatchObject({ name: 'free', limits: { per_second: 10, per_minute: 300 }, rev: 1 })
  expect((await call('/v1/plans/free')).body).toMatchObject({ name: 'free', customers: 0 })
  expect((await call('/v1/plans')).body.plans).toHaveLength(1)
  expect((await call('/v1/plans/free', { method: 'DELETE' })).status).toBe(204)
  expect((await call('/v1/plans/free')).status).toBe(404)
  expect((await call('/v1/plans/free', { method: 'DELETE' })).status).toBe(404)
})

test('a plan that servers could not use is refused, with the place of the fault, and nothing is stored', async () => {
  const { call } = await startHarness()
  const body = { limits: { per_second: { tokens: 10, per: '1m' } } }
  const answer = await call('/v1/plans/free', { method: 'PUT', body })
  expect(answer.status).toBe(400)
  expect(answer.body).toMatchObject({ code: 'invalid', errors: [{ path: 'plans.free.limits.per_second' }] })
  expect((await call('/v1/plans')).body.plans).toEqual([])
})

test('a plan whose headers no client could read is refused, by its name, and an override that makes one too', async () => {
  const { call } = await startHarness()
  const limits = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`endpoint_${100 + index}`, { tokens: 100, per: '1m' }]),
    )
  const big = await call('/v1/plans/big', { method: 'PUT', body: { limits: limits(300) } })
  expect(big.body).toMatchObject({
    status: 400,
    detail: expect.stringMatching(
      /^The plans would be invalid: plans\.big: .* at most 4096 bytes, got up to 17700: .*Use fewer/,
    ),
    errors: [{ path: 'plans.big' }],
  })
  expect((await call('/v1/plans')).body.plans).toEqual([])
  expect((await call('/v1/plans/full', { method: 'PUT', body: { limits: limits(69) } })).status).toBe(200)
  const customer = { plan: 'full', overrides: { per_second: 5 } }
  expect((await call('/v1/customers/acme', { method: 'PUT', body: customer })).body.detail).toMatch(
    /^The customer would be invalid: customers\.acme\.overrides: .*4096 bytes/,
  )
  const csv = 'id,plan,overrides\nacme,full,"{""per_second"":5}"\n'
  expect((await call('/v1/customers.csv', { method: 'POST', body: csv })).body).toMatchObject({
    status: 400,
    errors: [{ path: 'line 2.overrides', message: expect.stringContaining('4096 bytes') }],
  })
})

test('a plan of the wrong shape is refused, with the place of the fault', async () => {
  const { call } = await startHarness()
  for (const limits of [{ per_second: Number.NaN }, { per_second: -1 }, { per_second: '10' }, { per_second: 1.5 }]) {
    const answer = await call('/v1/plans/free', { method: 'PUT', body: { limits } })
    expect(answer.status, JSON.stringify(limits)).toBe(400)
    expect(answer.body.errors?.[0]?.path, JSON.stringify(limits)).toBe('limits.per_second')
  }
  const answer = await call('/v1/plans/free', { method: 'PUT', body: { limit: {} } })
  expect(answer.body).toMatchObject({ status: 400, code: 'invalid' })
})

test('the default plan, and a plan that customers are on, cannot be removed', async () => {
  const { call } = await startHarness()
  await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  await call('/v1/plans/pro', { method: 'PUT', body: { limits: { per_second: 100 } } })
  await call('/v1/settings', { method: 'PATCH', body: { defaultPlan: 'free' } })
  await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'pro' } })
  expect((await call('/v1/plans/free', { method: 'DELETE' })).body).toMatchObject({ status: 409, code: 'in_use' })
  expect((await call('/v1/plans/pro', { method: 'DELETE' })).body).toMatchObject({
    status: 409,
    code: 'in_use',
    detail: '1 customer is on plan "pro". Move it to another plan first.',
  })
  await call('/v1/customers/zoe', { method: 'PUT', body: { plan: 'pro' } })
  expect((await call('/v1/plans/pro', { method: 'DELETE' })).body.detail).toMatch(/^2 customers are on plan "pro"/)
  await call('/v1/customers/zoe', { method: 'PUT', body: { plan: 'free' } })
  await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'free' } })
  expect((await call('/v1/plans/pro', { method: 'DELETE' })).status).toBe(204)
})

test('a change that would leave an override without its limit is refused', async () => {
  const { call } = await startHarness()
  await call('/v1/plans/free', { method: 'PUT', body: { limits: { bulk: { tokens: 10, per: '10s' } } } })
  await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'free', overrides: { bulk: 50 } } })
  const answer = await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  expect(answer.body).toMatchObject({ status: 400, errors: [{ path: 'customers.acme.overrides.bulk' }] })
})

test('a default plan under which an override could not be counted is refused', async () => {
  const { call } = await startHarness()
  await call('/v1/plans/short', { method: 'PUT', body: { limits: { bulk: { tokens: 7, per: '1s' } } } })
  await call('/v1/plans/long', { method: 'PUT', body: { limits: { bulk: { tokens: 7, per: '30d' } } } })
  await call('/v1/settings', { method: 'PATCH', body: { defaultPlan: 'short' } })
  // A prime number: its bucket over 30 days would pass 2^53 - 1 grains.
  await call('/v1/customers/acme/overrides', { method: 'PATCH', body: { bulk: 999_999_937 } })
  const answer = await call('/v1/settings', { method: 'PATCH', body: { defaultPlan: 'long' } })
  expect(answer.body).toMatchObject({ status: 400, errors: [{ path: 'customers.acme.overrides.bulk' }] })
  expect((await call('/v1/settings')).body).toMatchObject({ defaultPlan: 'short' })
})

test('a change meant for another revision is refused: two people do not undo each other', async () => {
  const { call } = await startHarness()
  const put = (tokens: number, headers: Record<string, string>) =>
    call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: tokens } }, headers })
  const made = await put(10, { 'if-none-match': '*' })
  expect(made.headers.get('etag')).toBe('"1"')
  expect((await put(11, { 'if-none-match': '*' })).body).toMatchObject({
    status: 412,
    code: 'stale',
    detail: 'Plan "free": expected none, got revision 1. Somebody changed it. Read it again first.',
  })
  expect((await put(11, { 'if-match': '"1"' })).body).toMatchObject({ rev: 2 })
  expect((await put(12, { 'if-match': '"1"' })).status).toBe(412)
  expect((await put(12, { 'if-match': 'W/"2"' })).status).toBe(200)
  expect((await put(12, { 'if-match': '2' })).status).toBe(400)
  expect((await call('/v1/plans/free', { method: 'DELETE', headers: { 'if-match': '"1"' } })).status).toBe(412)
})

test('an equal plan is no change', async () => {
  const { call } = await startHarness()
  const put = () => call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  expect((await put()).body.rev).toBe(1)
  expect((await put()).body.rev).toBe(1)
  expect((await call('/v1/changes?kind=plan')).body.changes).toHaveLength(1)
})
