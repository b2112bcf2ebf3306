import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvLine, parseCsv } from '../../src/customers/csv.js'
import { type Harness, startHarness } from '../support.js'

async function withPlans(): Promise<Harness> {
  const harness = await startHarness()
  await harness.call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  await harness.call('/v1/plans/pro', { method: 'PUT', body: { limits: { per_second: 100 } } })
  return harness
}

const importText = (harness: Harness, text: string, query = '') =>
  harness.call(`/v1/customers.csv${query}`, { method: 'POST', body: text })

test('what is written as CSV is read as it was', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r\n', "'", '=', ' ', 'é', ';') })
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }))
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const lines = await parseCsv(rows.map(csvLine).join(''))
      expect(lines.map(({ cells }) => cells)).toEqual(rows)
      const begins = rows.map((_, index) => rows.slice(0, index).map(csvLine).join('').split('\n').length)
      expect(lines.map(({ line }) => line)).toEqual(begins)
    }),
    { seed: 1, numRuns: 500 },
  )
})

test('CSV is read as other programs write it: a byte order mark, LF, no line end at the end, empty lines', async () => {
  const lines = [
    { line: 1, cells: ['id', 'name'] },
    { line: 3, cells: ['a', 'x\ny'] },
    { line: 6, cells: ['b', ''] },
  ]
  expect(await parseCsv('\ufeffid,name\n\na,"x\ny"\n\nb,')).toEqual(lines)
  expect(await parseCsv('\ufeffid,name\r\n\r\na,"x\ny"\r\n""\r\nb,\r\n')).toEqual(lines)
})

test('a file of many pieces is read as one, whatever is at their ends', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => [`café-${index}`, '🎉', 'two\r\nlines', 'a "quote"'])
  const lines = await parseCsv(rows.map(csvLine).join(''))
  expect(lines.map(({ cells }) => cells)).toEqual(rows)
  expect(lines.at(-1)?.line).toBe(39_999)
})

test.each([
  ['a,"b\nc', /Line 1: a quote is opened/],
  ['x\na,b"c', /Line 2: a cell with a quote/],
  ['x\n\n"a"b', /Line 3: expected a comma or the end/],
  ['x\r\n"a\r\nb",c\r\nd"', /Line 4: a cell with a quote/],
])('CSV that is not whole is refused with its line: %j', async (text, message) => {
  await expect(parseCsv(text)).rejects.toThrow(message)
})

test('customers go out as CSV and come in again as they were', async () => {
  const harness = await withPlans()
  const { call } = harness
  await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'pro', name: 'Acme, "Ltd"', note: 'two\nlines' } })
  await call('/v1/customers/acme/overrides', {
    method: 'PATCH',
    body: { per_second: { tokens: 50, for: '1h', reason: 'a,b' } },
  })
  await call(`/v1/customers/${encodeURIComponent('=HYPERLINK("x")')}`, { method: 'PUT', body: { name: "'-1" } })
  const out = await call('/v1/customers.csv')
  expect(out.headers.get('content-type')).toMatch('text/csv')
  expect(out.text).toMatch(/^id,name,plan,note,overrides\r\n/)
  expect(out.text).toContain(`"'=HYPERLINK(""x"")",''-1,,,\r\n`)
  const before = (await call('/v1/customers')).body
  expect((await importText(harness, out.text)).body).toEqual({ created: 0, changed: 0, unchanged: 2 })
  for (const id of ['acme', '=HYPERLINK("x")'])
    await call(`/v1/customers/${encodeURIComponent(id)}`, { method: 'DELETE' })
  expect((await importText(harness, out.text)).body).toEqual({ created: 2, changed: 0, unchanged: 0 })
  const strip = (body: typeof before) => (body.customers as unknown as object[]).map((one) => ({ ...one, rev: 0 }))
  expect(strip((await call('/v1/customers')).body)).toEqual(strip(before))
})

test('an import does not change parts without a column, and removes those that are empty', async () => {
  const harness = await withPlans()
  await harness.call('/v1/customers/acme', { method: 'PUT', body: { plan: 'free', name: 'Acme', note: 'old' } })
  expect((await importText(harness, 'id,plan,note\nacme,pro,\nnew,,\n')).body).toEqual({
    created: 1,
    changed: 1,
    unchanged: 0,
  })
  expect((await harness.call('/v1/customers/acme')).body).toMatchObject({ name: 'Acme', plan: 'pro', note: null })
  expect((await harness.call('/v1/changes?kind=customer&id=new')).body.changes?.[0]).toMatchObject({
    author: 'first admin',
  })
})

test('an import with any fault stores nothing, and names each line', async () => {
  const harness = await withPlans()
  const text = 'id,plan,overrides\nok,pro,\nbad,prro,\n,pro,\nok,free,\nx,pro\ny,pro,"{""per_second"":0}"\nz,pro,{\n'
  const answer = await importText(harness, text)
  expect(answer.body).toMatchObject({ status: 400, code: 'invalid' })
  const paths = (answer.body.errors as unknown as { path: string }[]).map(({ path }) => path)
  expect(paths.sort()).toEqual(['line 3.plan', 'line 4', 'line 5', 'line 6', 'line 7', 'line 8'])
  expect((await harness.call('/v1/customers')).body.customers).toEqual([])
})

test.each(['', 'name\nx', 'id,nmae\nx,y', 'id;plan\nx;free', 'id,id\nx,y'])(
  'an import whose first line does not name the columns is refused: %j',
  async (text) => {
    const harness = await withPlans()
    const answer = await importText(harness, text || '\n')
    expect(answer.body).toMatchObject({ status: 400, code: 'invalid' })
  },
)

test('a dry run counts what would change, and changes nothing', async () => {
  const harness = await withPlans()
  const answer = await importText(harness, 'id,plan\na,pro\nb,free\n', '?dryRun=true')
  expect(answer.body).toEqual({ created: 2, changed: 0, unchanged: 0 })
  expect((await harness.call('/v1/customers')).body.customers).toEqual([])
})
