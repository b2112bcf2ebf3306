import type { CustomerBody, Effective, OverrideBody, StoredCustomer } from '../../customers/customer-schemas.js'
import { type Command, textOf } from '../command.js'
import { bytesIn } from '../files.js'
import { tableLines, timeText, windowText } from '../table.js'

type Detail = StoredCustomer & { effective: Effective }

/** `customers`: lists them. */
export const customers: Command = {
  usage: '',
  summary: 'list customers, 100 at a time',
  args: [0, 0],
  options: {
    plan: { type: 'string', value: '<name>', help: 'only customers who name this plan' },
    search: { type: 'string', value: '<text>', help: 'only customers with this in their id or name' },
    overridden: { type: 'boolean', help: 'only customers with overrides' },
    after: { type: 'string', value: '<id>', help: 'only ids after this one: the next page' },
  },
  run: async ({ client, values, show }) => {
    const query = new URLSearchParams()
    for (const name of ['plan', 'search', 'overridden', 'after']) {
      if (values[name] !== undefined) query.set(name, String(values[name]))
    }
    const answer = await client().json<{ customers: StoredCustomer[]; next: string | null }>(
      'GET',
      `/v1/customers?${query}`,
    )
    const rows = answer.customers.map(({ id, name, plan, overrides }) => [
      id,
      name ?? '',
      plan ?? '(default)',
      Object.entries(overrides).map(overrideText).join(', '),
    ])
    show(answer, () => [
      ...tableLines(['CUSTOMER', 'NAME', 'PLAN', 'OVERRIDES'], rows),
      ...(answer.next === null ? [] : ['', `More: --after ${JSON.stringify(answer.next)}`]),
    ])
  },
}

/** `customers show`: one, with the rule behind each limit. */
export const customersShow: Command = {
  usage: '<id>',
  summary: 'show a customer, and the rule behind each limit',
  args: [1, 1],
  run: async ({ client, args: [id = ''], show }) => {
    const answer = await client().json<Detail>('GET', customerPath(id))
    show(answer, () => [
      `${id}: plan ${answer.effective.plan ?? 'none'} (${answer.effective.planFrom})`,
      ...limitLines(answer),
    ])
  },
}

/** `customers set`: creates or changes one. */
export const customersSet: Command = {
  usage: '<id>',
  summary: 'create a customer or change its plan, name or note',
  example: 'customers set acme --plan pro --name "Acme Ltd"',
  args: [1, 1],
  options: {
    plan: { type: 'string', value: '<name>', help: "the plan ('' for the default plan)" },
    name: { type: 'string', value: '<text>', help: "a name for people ('' removes it)" },
    note: { type: 'string', value: '<text>', help: "a note for people ('' removes it)" },
  },
  run: async ({ client, args: [id = ''], values, show }) => {
    const before = await client().find<Detail>(customerPath(id))
    const { plan = null, name = null, note = null, overrides = {} } = before ?? {}
    const changes = Object.fromEntries(
      ['plan', 'name', 'note'].flatMap((part) => {
        const text = textOf(values, part)
        return text === undefined ? [] : [[part, text === '' ? null : text]]
      }),
    )
    const body: CustomerBody = { plan, name, note, overrides, ...changes }
    const headers: Record<string, string> = before ? { 'if-match': `"${before.rev}"` } : { 'if-none-match': '*' }
    const answer = await client().json<Detail>('PUT', customerPath(id), { body, headers })
    show(answer, () => [`${id}: plan ${answer.effective.plan ?? 'none'}. On all servers within 15 seconds.`])
  },
}

/** `customers remove`: removes one. */
export const customersRemove: Command = {
  usage: '<id>',
  summary: 'remove a customer',
  args: [1, 1],
  run: async ({ client, args: [id = ''], show }) => {
    await client().json('DELETE', customerPath(id))
    show({ removed: id }, () => [`${id} is removed.`])
  },
}

/** `customers export`: all of them, as CSV. */
export const customersExport: Command = {
  usage: '',
  summary: 'print all customers as CSV',
  args: [0, 0],
  run: async ({ client, io }) => io.out((await client().text('/v1/customers.csv')).trimEnd()),
}

/** `customers import`: stores those of a CSV file. */
export const customersImport: Command = {
  usage: '<file>',
  summary: 'create and change the customers of a CSV file (- for standard input)',
  details: ['All lines are checked before any is stored. No customer is removed.'],
  args: [1, 1],
  options: { 'dry-run': { type: 'boolean', help: 'only check, and count what would change' } },
  run: async ({ client, io, args: [file = ''], values, show }) => {
    const body = file === '-' ? await io.readAll() : bytesIn(file)
    const path = values['dry-run'] ? '/v1/customers.csv?dryRun=true' : '/v1/customers.csv'
    const answer = await client().json<Record<string, number>>('POST', path, { body })
    const { created, changed, unchanged } = answer
    show(answer, () => [
      `${created} created, ${changed} changed, ${unchanged} unchanged${values['dry-run'] ? ' (dry run)' : ''}.`,
    ])
  },
}

/** The path of a customer in the API. */
export function customerPath(id: string): string {
  return `/v1/customers/${encodeURIComponent(id)}`
}

/** The limits of a customer, a line each, with the rule behind it. */
export function limitLines({ effective, overrides }: Detail): string[] {
  const rows = effective.limits.map(({ name, rule, limit, enforced }) => [
    name,
    limit === null
      ? 'no limit'
      : `${limit.tokens} ${windowText(limit.windowMs)}${limit.burst === limit.tokens ? '' : `, burst ${limit.burst}`}`,
    effective.split > 1 && enforced !== null ? `${enforced.tokens} on each of ${effective.split} servers` : '',
    rule === 'override' ? `override${detailsOf(overrides[name])}` : rule,
  ])
  return [
    ...tableLines(['LIMIT', 'VALUE', 'SHARE', 'FROM'], rows),
    ...effective.idle.map(({ name, why }) => `(override of ${name}: ${why})`),
  ]
}

function detailsOf(override: OverrideBody | undefined): string {
  if (typeof override !== 'object') return ''
  const { expires, reason, author } = override
  const until = expires === undefined ? '' : ` until ${typeof expires === 'number' ? timeText(expires) : expires}`
  return `${until}${reason === undefined ? '' : `, "${reason}"`}${author === undefined ? '' : `, by ${author}`}`
}

function overrideText([name, override]: [string, OverrideBody]): string {
  return `${name} ${typeof override === 'object' ? override.tokens : override}`
}
