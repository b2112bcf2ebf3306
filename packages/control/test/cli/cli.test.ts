import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from '../../src/cli/main.js'
import { aServer, dataDirectory, type Harness, START, startHarness } from '../support.js'

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** Runs command lines against a control plane of their own. */
async function shell(): Promise<Harness & { run(line: string | string[], input?: string): Promise<Ran> }> {
  const harness = await startHarness()
  return {
    ...harness,
    run: (line, input) => {
      const env = { RAIL_URL: harness.control.url, RAIL_TOKEN: harness.adminToken }
      return runWith(env, typeof line === 'string' ? line.split(' ') : line, input)
    },
  }
}

async function runWith(env: Record<string, string>, args: string[], input = ''): Promise<Ran> {
  const [out, error]: [string[], string[]] = [[], []]
  const code = await main(args, {
    env,
    out: (line) => out.push(line),
    error: (line) => error.push(line),
    readAll: async () => new TextEncoder().encode(input),
    stopped: async () => {},
  })
  return { code, out: out.join('\n'), error: error.join('\n') }
}

test('plans are created, changed limit by limit, listed and removed', async () => {
  const { run } = await shell()
  expect((await run('plans set free --per-second 10 --per-minute 300')).code).toBe(0)
  expect((await run('plans set free --per-minute none --limit bulk=100/10s')).out).toBe(
    'free: per_second 10, bulk 100/10s. On all servers within 15 seconds.',
  )
  expect((await run('plans')).out).toBe(
    'PLAN  LIMITS                       CUSTOMERS\nfree  per_second 10, bulk 100/10s  0',
  )
  expect(JSON.parse((await run('plans --json')).out)).toMatchObject({
    format: 1,
    plans: [{ name: 'free', customers: 0 }],
  })
  expect(await run('plans remove free')).toEqual({ code: 0, out: 'free is removed.', error: '' })
  expect(await run('plans remove free')).toEqual({ code: 1, out: '', error: 'There is no plan "free".' })
})

test('a whole plan may come from a file', async () => {
  const { run, call } = await shell()
  const file = join(dataDirectory(), 'plan.json')
  const plan = { limits: { per_second: { tokens: 10, burst: 50 } }, scopes: { writes: { per_minute: 5 } } }
  writeFileSync(file, JSON.stringify(plan))
  expect((await run(`plans set pro --file ${file}`)).out).toContain('per_second 10 burst 50, writes.per_minute 5')
  expect((await call('/v1/plans/pro')).body).toMatchObject(plan)
})

test('support raises the limit of one customer for a day, and removes the override', async () => {
  const { run } = await shell()
  await run('plans set free --per-second 10 --per-minute 300')
  await run('settings --default-plan free')
  await run(['customers', 'set', 'acme', '--name', 'Acme Ltd'])
  const set = await run('override set acme --per-second 50 --for 24h --reason launch')
  expect(set).toEqual({
    code: 0,
    error: '',
    out: [
      'acme, on all servers within 15 seconds:',
      'LIMIT       VALUE           SHARE  FROM',
      'per_second  50 per second          override until 2026-12-01 09:00 UTC, "launch", by first admin',
      'per_minute  300 per minute         default plan',
    ].join('\n'),
  })
  expect((await run('customers --overridden')).out).toContain('acme      Acme Ltd  (default)  per_second 50')
  const cleared = await run('override clear acme per_second')
  expect(cleared.out).toMatch(/per_second {2}10 per second +default plan/)
  expect(await run('override clear acme per_second')).toMatchObject({
    code: 1,
    error: 'acme has no override of per_second.',
  })
  expect((await run('override clear acme')).out).toBe('acme has no overrides.')
})

test('an override that lowers a limit, or is of a new customer, is pointed out', async () => {
  const { run } = await shell()
  await run('plans set free --per-second 10')
  await run('settings --default-plan free')
  expect((await run('override set acme --per-second 50')).error).toBe(
    'acme is a new customer. Check that the id is right.',
  )
  expect((await run('override set acme --per-second 20')).error).toBe('per_second of acme is lower than before.')
  expect((await run('override set acme --per-second no-limit')).error).toBe('')
})

test('an override without an effect is pointed out', async () => {
  const { run, call } = await shell()
  await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  await call('/v1/plans/pro', { method: 'PUT', body: { limits: { bulk: { tokens: 100, per: '10s' } } } })
  await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'free' } })
  expect(await run('override set acme --per-second 50 --until 2020-01-01T00:00:00Z')).toMatchObject({
    code: 0,
    error: 'The override of per_second has no effect: it has already ended.',
  })
  expect((await run('override set acme --limit bulk=50')).error).toBe(
    "The override of bulk has no effect: the customer's plan has no such limit.",
  )
  // Nothing about overrides that were set before, nor about one that inherits on purpose.
  expect((await run('override set acme --per-second inherit')).error).toBe('')
})

test('servers are listed with their faults, and forgotten', async () => {
  const { run, sync } = await shell()
  await run('settings --servers split')
  await sync({ ...aServer('a'), applyError: { epoch: 'e', rev: 1, message: 'a limit is NaN' } })
  await sync(aServer('b'))
  const { out } = await run('servers')
  expect(out).toContain('instance refused the last payload: a limit is NaN')
  expect(out).toContain('Limits are split: each server enforces 1/2.')
  expect(await run('servers forget instance')).toMatchObject({
    code: 1,
    error: `2 servers' ids start with "instance". Write more letters.`,
  })
  expect((await run('servers forget zz')).error).toBe(`No server's id starts with "zz". Run rail-control servers.`)
  expect((await run('servers forget instance-b')).code).toBe(0)
  expect((await run('servers')).out).toContain('1/1')
})

test('customers go out as CSV and come in from a file or from standard input', async () => {
  const { run } = await shell()
  await run('plans set free --per-second 10')
  const csv = 'id,plan\na,free\nb,free\n'
  expect((await run('customers import - --dry-run', csv)).out).toBe('2 created, 0 changed, 0 unchanged (dry run).')
  expect((await run('customers import -', csv)).out).toBe('2 created, 0 changed, 0 unchanged.')
  expect((await run('customers export')).out).toBe('id,name,plan,note,overrides\r\na,,free,,\r\nb,,free,,')
  const wrong = await run('customers import -', 'id,plan\na,fre\nb,fre\n')
  expect(wrong.code).toBe(1)
  expect(wrong.error).toMatch(/Nothing was imported.*\n {2}line 2.plan: .*\n {2}line 3.plan: /)
})

test('usage, changes, one customer and tokens are shown', async () => {
  const { run, sync } = await shell()
  await run('plans set free --per-second 10')
  await run('customers set acme --plan free')
  await sync({
    report: { seq: 1, lengthMs: 1, usage: [['acme', 9, 2, 5, [['per_second', 2]]]], unknown: [], dropped: 0 },
  })
  expect((await run('usage --customer acme')).out).toMatch(/acme +9 +2 +5 +per_second 2/)
  expect((await run('changes --kind plan')).out).toMatch(/first admin +plan free +created/)
  expect((await run('customers show acme')).out).toMatch(/^acme: plan free \(customer\)/)
  const token = await run('tokens create --scope sync --label Frankfurt')
  expect(token.out).toMatch(/^rail_sync_/)
  expect((await run('tokens')).out).toContain('Frankfurt')
  expect((await run(`tokens remove ${token.out.split('_')[2]}`)).code).toBe(0)
  expect((await run('customers remove acme')).code).toBe(0)
})

test('an admin token can be created in the data directory, without a token', async () => {
  const { run, data, control } = await shell()
  const made = await run(`tokens create --scope admin --label new --data ${data}`)
  expect((await runWith({ RAIL_URL: control.url, RAIL_TOKEN: made.out }, ['plans'])).code).toBe(0)
  expect((await run(`tokens create --scope admin --label new --data ${dataDirectory()}`)).code).toBe(2)
})

test('the database is copied to a new file, for its owner only', async () => {
  const { run, data } = await shell()
  const directory = dataDirectory()
  const file = join(directory, 'copy.db')
  expect(await run(['backup', file, '--data', data])).toEqual({ code: 0, out: `Wrote ${file}.`, error: '' })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect((await run(['backup', file, '--data', data])).code).toBe(2)
  expect(readdirSync(directory)).toEqual(['copy.db'])
})

test('errors of the system and of SQLite are one sentence, without a stack', async () => {
  const { run, data } = await shell()
  const directory = dataDirectory()
  const nowhere = join(directory, 'nowhere', 'copy.db')
  const { code, out, error } = await run(['backup', nowhere, '--data', data])
  expect([code, out, error.split('\n').length]).toEqual([2, '', 1])
  expect(error).toMatch(/^Cannot write .*nowhere.copy\.db: no such file or directory\.$/)
  expect(await run('customers import /nope.csv')).toMatchObject({
    code: 2,
    error: 'Cannot read /nope.csv: no such file or directory.',
  })
  writeFileSync(join(directory, 'control.db'), 'no database')
  for (const command of ['backup x.db', 'tokens create --scope read --label x']) {
    const refused = await run(`${command} --data ${directory}`)
    expect(refused).toMatchObject({ code: 2, error: expect.stringMatching(/^.*not a database.*$/) })
  }
})

test('exit code 2 means wrong usage or no answer of a control plane, with a reason', async () => {
  const { run, control, adminToken } = await shell()
  const reach = (url: string, args: string[]) => runWith({ RAIL_URL: url, RAIL_TOKEN: adminToken }, args)
  expect(await run('planss')).toMatchObject({ code: 2, error: expect.stringMatching(/^There is no command "planss"/) })
  expect(await run('plans --jsn')).toMatchObject({ code: 2, error: expect.stringMatching(/--jsn/) })
  expect(await run('plans set')).toMatchObject({
    code: 2,
    error: expect.stringMatching(/^Usage: rail-control plans set <name>/),
  })
  expect(await run('plans set free --per-second ten')).toMatchObject({ code: 2 })
  expect(await run('override set acme')).toMatchObject({ code: 2 })
  expect(await run('override set acme --per-second fifty')).toMatchObject({
    code: 2,
    error: 'per_second: expected a whole number of tokens, no-limit or inherit, got "fifty".',
  })
  expect(await run('override set acme --per-second 0')).toMatchObject({
    code: 2,
    error: 'per_second: expected 1 or more, got 0. To remove the limit write no-limit.',
  })
  for (const line of ['usage --from 1h', 'usage --to yesterday', 'serve --port abc', 'serve --port 65536']) {
    expect(await run(line), line).toMatchObject({
      code: 2,
      error: expect.stringMatching(/^--(from|to|port): expected /),
    })
  }
  expect(await run('serve --url http://x')).toMatchObject({ code: 2, error: expect.stringMatching(/'--url'/) })
  expect(await run('tokens create --scope all --label x')).toMatchObject({
    code: 2,
    error: expect.stringMatching(/^--scope: /),
  })
  expect(await runWith({ RAIL_URL: control.url }, ['plans'])).toMatchObject({
    code: 2,
    error: expect.stringMatching(/^token: expected RAIL_TOKEN or --token/),
  })
  expect(
    await runWith({ RAIL_URL: control.url, RAIL_TOKEN: 'rail_admin_secret\nrail_sync_secret' }, ['plans']),
  ).toEqual({
    code: 2,
    out: '',
    error: 'token: expected printable ASCII without spaces, got other characters. Check RAIL_TOKEN or --token.',
  })
  expect(await reach('nonsense', ['plans'])).toMatchObject({ code: 2 })
  expect((await runWith({ RAIL_URL: control.url, RAIL_TOKEN: 'wrong' }, ['plans'])).code).toBe(2)
  await control.close()
  expect(await run('plans')).toMatchObject({
    code: 2,
    error: expect.stringMatching(/^Cannot reach the control plane at /),
  })
})

test('a token is not sent over plain http to another machine, unless an option allows it', async () => {
  const { run } = await shell()
  const answer = await run('plans --url http://rail.example.com')
  expect(answer).toMatchObject({ code: 2, error: expect.stringMatching(/^url: expected https:.*--insecure-http\.$/) })
})

test('help has every command, its options and the exit codes', async () => {
  const { run } = await shell()
  const help = await run('--help')
  expect(help.code).toBe(0)
  expect(help.out).toMatch(/override set .*Exit code: 0 done, 1 refused by the control plane, 2 wrong usage/s)
  expect((await run('override set --help')).out).toMatch(/--per-second 50.*--until <time>.*--url <url>/s)
  const serve = (await run('serve --help')).out
  expect(serve).toMatch(/--port <number>.*--sync-every <duration>/s)
  expect(serve).not.toMatch(/--url|--token|--insecure/)
  const group = await run('override --help')
  expect(group).toMatchObject({ code: 0, out: expect.stringMatching(/override set.*override clear/s) })
  expect(group.out).not.toContain('plans')
  expect(await run('override')).toEqual({ code: 2, out: '', error: group.out })
  expect((await run('--version')).out).toMatch(/^\d+\.\d+\.\d+/)
})

test('a CSV file is imported as it is, and one that is not UTF-8 is not', async () => {
  const { run, call } = await shell()
  const file = join(dataDirectory(), 'customers.csv')
  const text = 'id,name\ncafé,Café ☕\n'
  writeFileSync(file, Buffer.from(text, 'latin1'))
  const refused = await run(['customers', 'import', file])
  expect(refused).toMatchObject({
    code: 1,
    error: expect.stringMatching(/^Nothing was imported. The file is not UTF-8/),
  })
  expect((await call('/v1/customers')).body.customers).toEqual([])
  writeFileSync(file, `\ufeff${text}`)
  expect((await run(['customers', 'import', file])).out).toBe('1 created, 0 changed, 0 unchanged.')
  expect((await call('/v1/customers')).body.customers).toMatchObject([{ id: 'café', name: 'Café ☕' }])
})

test('an override may end after the last date', async () => {
  const { run, call } = await shell()
  await run('plans set free --per-second 10')
  const body = { plan: 'free', overrides: { per_second: { tokens: 20, expires: 8.64e15 + 1 } } }
  await call('/v1/customers/acme', { method: 'PUT', body })
  expect((await run('customers show acme')).out).toContain('override until after the last date')
  body.overrides.per_second.expires = 8.64e15
  await call('/v1/customers/acme', { method: 'PUT', body })
  expect((await run('customers show acme')).out).toContain('override until +275760-09')
})

test('control characters in names of other people do not reach the terminal', async () => {
  const { run, call, sync } = await shell()
  const id = encodeURIComponent('\u001b[2J\u009bevil\u202e')
  await call(`/v1/customers/${id}`, { method: 'PUT', body: { name: 'line\nbreak' } })
  await sync({
    unknownScopes: ['\u001b[2J', 'line\nbreak'],
    applyError: { epoch: 'e', rev: 1, message: '\u009b2J line\nbreak' },
  })
  for (const command of ['customers', 'servers', 'changes', 'customers show \u009b2J']) {
    const { out, error } = await run(command)
    expect(out + error, command).toMatch(/evil|refused the last payload|There is no customer/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
    expect(out + error, command).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|line\nbreak/)
  }
})

test('the first start prints each token once, and how to use it', async () => {
  const { code, out, error } = await runWith({}, ['serve', '--port', '0', '--data', dataDirectory()])
  expect([code, error]).toEqual([0, ''])
  expect(out.match(/rail_sync_\w+/g)).toHaveLength(1)
  expect(out.match(/rail_admin_\w+/g)).toHaveLength(1)
  expect(out).toMatch(/export RAIL_URL=http:\S+ RAIL_TOKEN=rail_admin_.*rail-control plans set/s)
})

test('two people who change one plan at a time do not undo each other', async () => {
  const { run, clock } = await shell()
  expect(clock()).toBe(START)
  await run('plans set free --per-second 10')
  const answers = await Promise.all([run('plans set free --per-second 20'), run('plans set free --per-minute 300')])
  const codes = answers.map(({ code }) => code).sort()
  expect([
    [0, 0],
    [0, 1],
  ]).toContainEqual(codes)
})
