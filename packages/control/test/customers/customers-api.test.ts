import { expect, test } from 'vitest'
import { type Harness, START, startHarness } from '../support.js'

const HOUR = 3_600_000

async function withPlans(): Promise<Harness> {
  const harness = await startHarness()
  await harness.call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10, per_minute: 300 } } })
  await harness.call('/v1/plans/pro', { method: 'PUT', body: { limits: { per_second: 100 } } })
  await harness.call('/v1/settings', { method: 'PATCH', body: { defaultPlan: 'free' } })
  return harness
}

test('a customer is stored, read with the rule behind each limit, and removed', async () => {
  const { call } = await withPlans()
  expect((await call('/v1/customers/acme')).status).toBe(404)
  const made = await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'pro', name: 'Acme Ltd' } })
  expect(made.body).toMatchObject({ id: 'acme', name: 'Acme Ltd', note: null, plan: 'pro', overrides: {} })
  const read = await call('/v1/customers/acme')
  expect(read.body.effective).toEqual({
    plan: 'pro',
    planFrom: 'customer',
    split: 1,
    limits: [
      {
        name: 'per_second',
        scope: '',
        rule: 'plan',
        limit: { tokens: 100, windowMs: 1_000, burst: 100, counts: 'cost' },
        enforced: { tokens: 100, windowMs: 1_000, burst: 100, counts: 'cost' },
      },
    ],
    idle: [],
  })
  expect((await call('/v1/customers/acme', { method: 'DELETE' })).status).toBe(204)
  expect((await call('/v1/customers/acme')).status).toBe(404)
  expect((await call('/v1/customers/acme', { method: 'DELETE' })).status).toBe(404)
})

test('a plan that is not there is refused, with a suggestion', async () => {
  const { call } = await withPlans()
  const answer = await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'fre' } })
  expect(answer.status).toBe(400)
  expect(answer.body.errors?.[0]).toMatchObject({ path: 'customers.acme.plan' })
  expect(answer.body.detail).toMatch(/Did you mean "free"/)
  expect((await call('/v1/settings', { method: 'PATCH', body: { defaultPlan: 'fre' } })).status).toBe(400)
})

test('an id may be any text up to 1,024 characters', async () => {
  const { call } = await withPlans()
  for (const id of ['__proto__', 'a/b', '%2F', 'Zoë 🎉', 'a b?c#d', '{id}', 'x'.repeat(1_024), '🎉'.repeat(512)]) {
    const path = `/v1/customers/${encodeURIComponent(id)}`
    expect((await call(path, { method: 'PUT', body: { plan: 'pro' } })).body.id, id).toBe(id)
    expect((await call(path)).body, id).toMatchObject({ id, plan: 'pro' })
    expect((await call(path, { method: 'DELETE' })).status, id).toBe(204)
  }
  const tooLong = await call(`/v1/customers/${'x'.repeat(1_025)}`, { method: 'PUT', body: {} })
  expect(tooLong.status).toBe(400)
})

test('customers are listed page by page, by plan, by a part of id or name, and by having overrides', async () => {
  const { call } = await withPlans()
  for (const id of ['a', 'b', 'c', 'd%', 'e']) {
    await call(`/v1/customers/${encodeURIComponent(id)}`, {
      method: 'PUT',
      body: { plan: id === 'b' ? 'pro' : 'free', name: `Customer ${id}` },
    })
  }
  await call('/v1/customers/c/overrides', { method: 'PATCH', body: { per_second: 50 } })
  const ids = async (query: string) => {
    const { body } = await call(`/v1/customers?${query}`)
    return [(body.customers as unknown as { id: string }[]).map(({ id }) => id), body.next]
  }
  expect(await ids('limit=2')).toEqual([['a', 'b'], 'b'])
  expect(await ids('limit=2&after=b')).toEqual([['c', 'd%'], 'd%'])
  expect(await ids('limit=2&after=d%25')).toEqual([['e'], null])
  expect(await ids('plan=pro')).toEqual([['b'], null])
  expect(await ids('search=CUSTOMER%20d')).toEqual([['d%'], null])
  expect(await ids('search=%25')).toEqual([['d%'], null])
  expect(await ids('overridden=true')).toEqual([['c'], null])
  expect((await call('/v1/customers?limit=0')).status).toBe(400)
  expect((await call('/v1/customers?plann=pro')).status).toBe(400)
})

test('an override is in force until its end, by the clock of the control plane, with its reason and author', async () => {
  const { call, clock } = await withPlans()
  await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'free' } })
  const set = await call('/v1/customers/acme/overrides', {
    method: 'PATCH',
    body: { per_second: { tokens: 50, for: '24h', reason: 'launch' } },
  })
  expect(set.body.overrides).toEqual({
    per_second: { author: 'first admin', tokens: 50, reason: 'launch', expires: START + 24 * HOUR },
  })
  const limitNow = async () => {
    const { effective } = (await call('/v1/customers/acme')).body
    const limits = effective?.limits as unknown as { name: string; rule: string; limit: { tokens: number } }[]
    const { rule, limit } = limits.find(({ name }) => name === 'per_second') ?? {}
    return [rule, limit?.tokens]
  }
  expect(await limitNow()).toEqual(['override', 50])
  clock.advance(24 * HOUR - 1)
  expect(await limitNow()).toEqual(['override', 50])
  clock.advance(1)
  expect(await limitNow()).toEqual(['plan', 10])
  expect((await call('/v1/customers/acme')).body.effective?.idle).toEqual([{ name: 'per_second', why: 'ended' }])
})

test('an override has three states, is set beside others, and is taken back with null', async () => {
  const { call } = await withPlans()
  const patch = (body: object) => call('/v1/customers/acme/overrides', { method: 'PATCH', body })
  const limits = async () => {
    const { effective } = (await call('/v1/customers/acme')).body
    const all = effective?.limits as unknown as { name: string; limit: { tokens: number } | null }[]
    return all.map(({ name, limit }) => `${name}=${limit?.tokens ?? 'none'}`)
  }
  expect((await patch({ per_second: 'no-limit' })).status).toBe(200)
  expect(await limits()).toEqual(['per_second=none', 'per_minute=300'])
  await patch({ per_minute: 600 })
  expect(await limits()).toEqual(['per_second=none', 'per_minute=600'])
  await patch({ per_second: 'inherit' })
  expect(await limits()).toEqual(['per_second=10', 'per_minute=600'])
  const { body } = await patch({ per_second: null, per_minute: null })
  expect(body.overrides).toEqual({})
  expect(await limits()).toEqual(['per_second=10', 'per_minute=300'])
})

test('an override that means nothing is refused, and nothing is stored', async () => {
  const { call } = await withPlans()
  const wrong: [object, string][] = [
    [{ per_secnd: 50 }, 'customers.acme.overrides.per_secnd'],
    [{ per_second: 0 }, 'per_second'],
    [{ per_second: -1 }, 'per_second'],
    [{ per_second: { tokens: 50, for: '1 week' } }, 'per_second.for'],
    [{ per_second: { tokens: 50, for: '1h', expires: START + 1 } }, 'per_second.for'],
    [{ per_second: { tokens: 50, expires: 'tomorrow' } }, 'per_second.expires'],
    [{ per_second: { tokens: 50, untill: 5 } }, 'per_second'],
    [{ per_second: { burst: 50 } }, 'per_second.tokens'],
  ]
  for (const [body, path] of wrong) {
    const answer = await call('/v1/customers/acme/overrides', { method: 'PATCH', body })
    expect(answer.status, JSON.stringify(body)).toBe(400)
    expect(answer.body.errors?.[0]?.path, JSON.stringify(body)).toBe(path)
  }
  expect((await call('/v1/customers/acme')).status).toBe(404)
})

test('every change is in the history with its author and time, the latest first', async () => {
  const { call, clock } = await withPlans()
  clock.advance(5)
  await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'free' } })
  await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'pro' } })
  await call('/v1/customers/acme', { method: 'DELETE' })
  const parts = (plan: string) => ({ name: null, note: null, plan, overrides: {} })
  const entry = { at: START + 5, author: 'first admin', kind: 'customer', id: 'acme' }
  expect((await call('/v1/changes?kind=customer&id=acme')).body.changes).toMatchObject([
    { ...entry, before: parts('pro'), after: null },
    { ...entry, before: parts('free'), after: parts('pro') },
    { ...entry, before: null, after: parts('free') },
  ])
  const { changes } = (await call('/v1/changes?limit=2')).body
  const older = await call(`/v1/changes?limit=2&before=${changes?.[1]?.number}`)
  expect(Number(older.body.changes?.[0]?.number)).toBe(Number(changes?.[1]?.number) - 1)
})
