import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createToken, matches } from '../../src/access/token.js'
import { aServer, rawPost, startHarness } from '../support.js'

test('the first start makes an admin token and a token for servers; later starts make none', async () => {
  const first = await startHarness()
  expect(first.adminToken).toMatch(/^rail_admin_[0-9a-f]{16}_[0-9a-f]{64}$/)
  expect(first.syncToken).toMatch(/^rail_sync_[0-9a-f]{16}_[0-9a-f]{64}$/)
  await first.control.close()
  const second = await startHarness({ data: first.data, clock: first.clock })
  expect(second.control.firstTokens).toBeUndefined()
})

test('every route needs a token, except the health check and the OpenAPI document', async () => {
  const { call, control, adminToken } = await startHarness()
  const { paths } = (await (await fetch(`${control.url}/openapi.json`)).json()) as { paths: Record<string, object> }
  const open: string[] = []
  for (const [path, operations] of Object.entries(paths)) {
    for (const method of Object.keys(operations)) {
      const url = path.replaceAll(/\{\w+\}/g, 'x')
      const wrongSecret = adminToken.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
      for (const token of ['', 'nonsense', `rail_admin_${'0'.repeat(16)}_${'0'.repeat(64)}`, wrongSecret]) {
        const answer = await call(url, { method: method.toUpperCase(), token })
        if (answer.status !== 401) open.push(`${method} ${path}`)
        else expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      }
    }
  }
  expect([...new Set(open)]).toEqual(['get /health', 'get /openapi.json'])
})

test('a token is good for its scope and nothing else, and the error names the scope that is needed', async () => {
  const { call, control, adminToken, syncToken } = await startHarness()
  const readToken = control.createToken('read', 'dashboard').token
  const requests: [string, string, object | undefined][] = [
    ['GET', '/v1/plans', undefined],
    ['PUT', '/v1/plans/free', {}],
    ['GET', '/v1/tokens', undefined],
    ['POST', '/v1/sync', aServer('a')],
  ]
  const allowed = async (token: string) => {
    const statuses = []
    for (const [method, path, body] of requests) statuses.push((await call(path, { method, body, token })).status)
    return statuses
  }
  expect(await allowed(adminToken)).toEqual([200, 200, 200, 403])
  expect(await allowed(readToken)).toEqual([200, 403, 403, 403])
  expect(await allowed(syncToken)).toEqual([403, 403, 403, 200])
  const refused = await call('/v1/plans', { token: syncToken })
  expect(refused.body).toMatchObject({ code: 'wrong_scope', detail: expect.stringMatching(/"read".*"sync"/) })
})

test('a token whose name says another scope than it has is no token, and the answer says no more than that', async () => {
  const { call, control, adminToken, syncToken } = await startHarness()
  const readToken = control.createToken('read', 'dashboard').token
  const renamed = (token: string, scope: string): string => token.replace(/^rail_[a-z]+_/, `rail_${scope}_`)
  const unknown = `rail_admin_${'0'.repeat(16)}_${'0'.repeat(64)}`
  const { body: usual } = await call('/v1/plans', { token: unknown })
  const pairs = [
    [adminToken, 'read'],
    [readToken, 'admin'],
    [syncToken, 'read'],
    [adminToken, 'owner'],
  ] as const
  for (const [token, scope] of pairs) {
    const { status, body } = await call('/v1/plans', { token: renamed(token, scope) })
    expect([status, body]).toEqual([401, usual])
  }
  expect(
    (await call('/v1/sync', { method: 'POST', body: aServer('a'), token: renamed(syncToken, 'admin') })).status,
  ).toBe(401)
  expect((await call('/v1/plans', { token: renamed(readToken, 'read') })).status).toBe(200)
})

test('tokens are created, listed without their secret, used side by side, and revoked at once', async () => {
  const { call } = await startHarness()
  const made = await call('/v1/tokens', { method: 'POST', body: { scope: 'sync', label: 'Frankfurt' } })
  expect(made.status).toBe(201)
  const token = String(made.body.token)
  const secret = token.split('_').at(-1) as string
  const listed = await call('/v1/tokens')
  expect(listed.text).toContain('Frankfurt')
  expect(listed.text).not.toContain(secret)
  const sync = () => call('/v1/sync', { method: 'POST', body: aServer('a'), token })
  expect((await sync()).status).toBe(200)
  expect((await call(`/v1/tokens/${made.body.selector}`, { method: 'DELETE' })).status).toBe(204)
  expect((await sync()).status).toBe(401)
  expect((await call('/v1/changes?kind=token')).text).not.toContain(secret)
})

test('only a hash of a token is stored: the secret is nowhere in the data directory', async () => {
  const { data, call, adminToken, syncToken } = await startHarness()
  await call('/v1/plans')
  for (const name of readdirSync(data)) {
    const bytes = readFileSync(join(data, name))
    for (const token of [adminToken, syncToken]) {
      expect(bytes.includes(token.split('_').at(-1) as string), name).toBe(false)
    }
  }
})

test('a secret matches its own hash, no other, and none where there is no such token', () => {
  const { token, hash } = createToken('sync')
  const secret = token.split('_').at(-1) as string
  expect(matches(secret, hash)).toBe(true)
  expect(
    matches(
      secret.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      hash,
    ),
  ).toBe(false)
  expect(matches(secret, undefined)).toBe(false)
})

test('a body that unpacks to more than the limit is refused, small as it may be on the way', async () => {
  const { control, syncToken } = await startHarness()
  const post = async (body: Buffer, encoding = 'gzip') => {
    const headers = {
      authorization: `Bearer ${syncToken}`,
      'content-type': 'application/json',
      'content-encoding': encoding,
    }
    const answer = await fetch(`${control.url}/v1/sync`, { method: 'POST', headers, body: new Uint8Array(body) })
    return [answer.status, ((await answer.json()) as { code?: string }).code]
  }
  expect(await post(gzipSync(JSON.stringify(aServer('a'))))).toEqual([200, undefined])
  expect(await post(gzipSync(Buffer.alloc(9 * 1024 * 1024, ' ')))).toEqual([413, 'too_large'])
  expect(await post(gzipSync('{"v":1').subarray(0, 12))).toEqual([400, 'invalid'])
  expect(await post(Buffer.from('not gzip'))).toEqual([400, 'invalid'])
  expect(await post(Buffer.from('{}'), 'br')).toEqual([415, 'wrong_type'])
})

test('every error is problem details, those of the framework and of the network too', async () => {
  const { call, control, adminToken } = await startHarness()
  const problems: [number, string, string, object][] = [
    [404, 'GET', '/v1/nothing', {}],
    [404, 'GET', '/', {}],
    [404, 'POST', '/v1/plans', { body: {} }],
    [400, 'PUT', '/v1/plans/%', { body: {} }],
    [400, 'PUT', '/v1/plans/x', { headers: { 'content-type': 'application/json' } }],
    [415, 'PUT', '/v1/plans/x', { body: {}, headers: { 'content-type': 'text/plain' } }],
    [413, 'PUT', '/v1/plans/x', { body: { padding: 'x'.repeat(1024 * 1024) } }],
  ]
  for (const [status, method, path, options] of problems) {
    const answer = await call(path, { method, ...options }).catch(() => undefined)
    expect(answer?.status, `${method} ${path}`).toBe(status)
    expect(answer?.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(answer?.body).toMatchObject({
      type: 'about:blank',
      status,
      title: expect.any(String),
      detail: expect.any(String),
    })
  }
  const headers = `X-Long: ${'x'.repeat(70_000)}\r\n`
  expect((await rawPost(control.url, '/v1/sync', adminToken, '{}', headers)).toString()).toMatch(
    /^HTTP\/1.1 431.*"status":431/s,
  )
})

test('a document that describes the API is served, with every route in it', async () => {
  const { control } = await startHarness()
  const { openapi, paths } = (await (await fetch(`${control.url}/openapi.json`)).json()) as {
    openapi: string
    paths: Record<
      string,
      Record<string, { summary?: string; tags?: string[]; responses: object; parameters?: { name: string }[] }>
    >
  }
  expect(openapi).toBe('3.1.0')
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  expect(operations.map(({ path, method }) => `${method} ${path}`).sort()).toMatchInlineSnapshot(`
    [
      "delete /v1/customers/{id}",
      "delete /v1/plans/{name}",
      "delete /v1/servers/{id}",
      "delete /v1/tokens/{selector}",
      "get /health",
      "get /openapi.json",
      "get /v1/changes",
      "get /v1/customers",
      "get /v1/customers.csv",
      "get /v1/customers/{id}",
      "get /v1/plans",
      "get /v1/plans/{name}",
      "get /v1/servers",
      "get /v1/settings",
      "get /v1/tokens",
      "get /v1/usage",
      "patch /v1/customers/{id}/overrides",
      "patch /v1/settings",
      "post /v1/customers.csv",
      "post /v1/sync",
      "post /v1/tokens",
      "put /v1/customers/{id}",
      "put /v1/plans/{name}",
    ]
  `)
  for (const { path, operation } of operations) {
    expect(operation.summary, path).toEqual(expect.any(String))
    expect(operation.tags, path).toHaveLength(1)
    expect(Object.keys(operation.responses).length, path).toBeGreaterThanOrEqual(2)
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(operation.parameters?.map(({ name }) => name) ?? [], path).toEqual(expect.arrayContaining(inPath))
  }
})
