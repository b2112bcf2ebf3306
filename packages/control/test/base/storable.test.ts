import { expect, test } from 'vitest'
import { isStorable, storableText } from '../../src/base/storable.js'
import { openDatabase } from '../../src/store/database.js'
import { dataDirectory, START, startHarness } from '../support.js'

/** Each would come back as `a` or with U+FFFD: another customer's id, or none. */
const UNSTORABLE = ['a\0', 'a\0b', '\0', '\ud800', 'a\udc00b', '\udc00\ud800']

test('a text is storable unless the character 0 or half a surrogate pair is in it', () => {
  for (const text of UNSTORABLE) expect(isStorable(text), JSON.stringify(text)).toBe(false)
  for (const text of ['', 'acme', 'ä\u0001\u007f', '😀', '\ufffd', '__proto__']) {
    expect(isStorable(text), JSON.stringify(text)).toBe(true)
    expect(storableText(text)).toBe(text)
  }
  expect(UNSTORABLE.map(storableText)).toEqual(['a\ufffd', 'a\ufffdb', '\ufffd', '\ufffd', 'a\ufffdb', '\ufffd\ufffd'])
})

test('a string that is not storable gets no row, and finds none', async () => {
  const db = await openDatabase({ directory: dataDirectory(), now: START })
  const add = 'INSERT INTO setting VALUES (?, ?, 1)'
  db.run(add, 'a', 'value')
  for (const text of UNSTORABLE) {
    expect(() => db.run(add, 'b', text)).toThrow(expect.objectContaining({ code: 'invalid' }))
    for (const read of [db.all, db.first]) {
      expect(() => read('SELECT 1 FROM setting WHERE name = ?', text)).toThrow('the character 0')
    }
  }
  db.close()
})

test('customers with ids that are not storable are left out, and every server still gets everything', async () => {
  const { sync, call } = await startHarness()
  await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  const unknown = ['a', ...UNSTORABLE, 'b']
  expect((await sync({ report: { seq: 1, lengthMs: 1, usage: [], unknown, dropped: 0 } })).ackSeq).toBe(1)
  expect(await sync()).toMatchObject({
    kind: 'full',
    document: {
      customers: [
        ['a', {}],
        ['b', {}],
      ],
    },
  })
})

test('their requests are counted all the same, under an id with U+FFFD', async () => {
  const { sync, call } = await startHarness()
  const usage = UNSTORABLE.map((id): [string, number, number, number, [string, number][]] => [
    id,
    1,
    1,
    1,
    [['x\0', 1]],
  ])
  const many = Array.from({ length: 1_200 }, (): (typeof usage)[0] => ['many\0', 1, 0, 1, []])
  for (const [seq, part] of [usage, many].entries()) {
    const report = { seq: seq + 1, lengthMs: 1, usage: part, unknown: [], dropped: 0 }
    expect((await sync({ report })).ackSeq).toBe(seq + 1)
  }
  const { body } = await call('/v1/usage')
  const told = body.usage as unknown as { customer: string; allowed: number; refusedBy: object }[]
  expect(Object.fromEntries(told.map(({ customer, allowed, refusedBy }) => [customer, [allowed, refusedBy]]))).toEqual({
    'a\ufffd': [1, { 'x\ufffd': 1 }],
    'a\ufffdb': [2, { 'x\ufffd': 2 }],
    '\ufffd': [2, { 'x\ufffd': 2 }],
    '\ufffd\ufffd': [1, { 'x\ufffd': 1 }],
    'many\ufffd': [1_200, {}],
  })
})

test('a string that is not storable is an error anywhere in a request, and nothing is changed', async () => {
  const { call } = await startHarness()
  const requests: [string, string, object | string | undefined][] = [
    ['PUT', '/v1/customers/a%00b', {}],
    ['GET', '/v1/customers/a%00b', undefined],
    ['PUT', '/v1/customers/a', { name: 'A\0' }],
    ['PUT', '/v1/customers/a', { note: '\ud800' }],
    ['PUT', '/v1/plans/a%00b', {}],
    ['GET', '/v1/customers?search=%00', undefined],
    ['GET', '/v1/changes?id=%00', undefined],
    ['POST', '/v1/tokens', { scope: 'read', label: '\ud800' }],
    ['POST', '/v1/customers.csv', 'id,name\na,A\nb\0,B\n'],
    ['POST', '/v1/customers.csv', 'id,note\na,x\nb,\0\n'],
  ]
  for (const [method, path, body] of requests) {
    const answer = await call(path, { method, ...(body !== undefined && { body }) })
    expect([answer.status, answer.body.code], `${method} ${path}`).toEqual([400, 'invalid'])
    expect(answer.body.detail, `${method} ${path}`).toMatch(/the character 0/)
    if (path.endsWith('.csv')) expect(answer.body.detail).toMatch(/^Nothing was imported. line 3: /)
  }
  expect((await call('/v1/customers')).body.customers).toEqual([])
  expect((await call('/v1/plans')).body.plans).toEqual([])
})
