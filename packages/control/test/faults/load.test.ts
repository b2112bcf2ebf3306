import { expect, test } from 'vitest'
import { aServer, startHarness } from '../support.js'

test('20 servers with 20,000 customers: every report is counted, and one change reaches all with their next sync', async () => {
  const { call, sync } = await startHarness()
  await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  const ids = Array.from({ length: 20_000 }, (_, index) => `customer-${index}`)
  await call('/v1/customers.csv', { method: 'POST', body: `id,plan\n${ids.map((id) => `${id},free`).join('\n')}` })
  const servers = Array.from({ length: 20 }, (_, index) => aServer(`server-${index}`))
  const had = await Promise.all(servers.map((server) => sync(server)))
  for (const answer of had) expect(answer.kind === 'full' && answer.document.customers.length).toBe(20_000)

  await call('/v1/customers/customer-7/overrides', { method: 'PATCH', body: { per_second: 50 } })
  const { epoch, rev } = had[0] as { epoch: string; rev: number }
  const answers = await Promise.all(
    servers.map((server, index) => {
      const usage = ids
        .slice(index * 1_000, index * 1_000 + 2_000)
        .map((id): [string, number, number, number, []] => [id, 3, 1, 2, []])
      return sync({
        ...server,
        have: { epoch, rev },
        report: { seq: 1, lengthMs: 15_000, usage, unknown: [], dropped: 0 },
      })
    }),
  )
  for (const answer of answers) {
    expect(answer).toMatchObject({
      kind: 'delta',
      ackSeq: 1,
      servers: 20,
      changes: { customers: [['customer-7', { plan: 'free' }]] },
    })
  }
  const counted = async (id: string) => (await call(`/v1/usage?customer=${id}`)).body.usage?.[0]
  expect(await counted('customer-500')).toMatchObject({ allowed: 3, refused: 1 })
  expect(await counted('customer-1500')).toMatchObject({ allowed: 6, refused: 2 })
})
