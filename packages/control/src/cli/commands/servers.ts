import { type Command, textOf } from '../command.js'
import { CliError } from '../io.js'
import { tableLines, timeText } from '../table.js'

interface Servers {
  readonly setting: 'each' | 'split'
  readonly counted: number
  readonly servers: readonly Server[]
}

interface Server {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly lastSync: number
  readonly source: string
  readonly isCurrent: boolean
  readonly state: string
  readonly counted: boolean
  readonly countedUntil: number
  readonly applyError: { readonly message: string } | null
  readonly unknownScopes: readonly string[]
}

/** `servers`: lists them. */
export const servers: Command = {
  usage: '',
  summary: 'list servers and whether they are up to date',
  args: [0, 0],
  run: async ({ client, show }) => {
    const answer = await client().json<Servers>('GET', '/v1/servers')
    const { setting, counted } = answer
    const rows = answer.servers.map((server) => [
      server.id.slice(0, 8),
      `${server.host}:${server.pid}`,
      stateText(server),
      server.isCurrent ? 'current' : 'behind',
      server.source,
      timeText(server.lastSync),
    ])
    show(answer, () => [
      ...tableLines(['SERVER', 'PROCESS', 'STATE', 'LIMITS', 'FROM', 'LAST SYNC'], rows),
      ...answer.servers.flatMap(troubleLines),
      setting === 'split'
        ? `Limits are split: each server enforces 1/${counted}.`
        : 'Each server enforces the whole limit.',
    ])
  },
}

/** `servers forget`: stops counting one. */
export const serversForget: Command = {
  usage: '<server>',
  summary: 'stop counting a server that will not come back (the first letters of its id are enough)',
  args: [1, 1],
  run: async ({ client, args: [start = ''], show }) => {
    const answer = await client().json<Servers>('GET', '/v1/servers')
    const meant = answer.servers.filter(({ id }) => id.startsWith(start))
    if (meant.length === 0) throw new CliError(1, `No server's id starts with "${start}". Run rail-control servers.`)
    if (meant.length > 1)
      throw new CliError(1, `${meant.length} servers' ids start with "${start}". Write more letters.`)
    const id = meant[0]?.id as string
    await client().json('DELETE', `/v1/servers/${encodeURIComponent(id)}`)
    show({ forgotten: id }, () => [`${id} is no longer counted.`])
  },
}

/** `settings`: shows or changes them. */
export const settings: Command = {
  usage: '',
  summary: 'show or change the settings: whole or split limits, and the default plan',
  args: [0, 0],
  options: {
    servers: { type: 'string', value: '<each|split>', help: 'whether each server enforces whole limits or its share' },
    'default-plan': { type: 'string', value: '<name>', help: 'the plan of customers without one (none: no limit)' },
  },
  run: async ({ client, values, show }) => {
    const plan = textOf(values, 'default-plan')
    const body = {
      servers: textOf(values, 'servers'),
      defaultPlan: plan === 'none' ? null : plan,
    }
    const isRead = body.servers === undefined && plan === undefined
    const answer = await client().json<{ servers: string; defaultPlan: string | null }>(
      isRead ? 'GET' : 'PATCH',
      '/v1/settings',
      isRead ? {} : { body },
    )
    const meaning = answer.servers === 'split' ? 'its share of the limit' : 'the whole limit'
    show(answer, () => [
      `Rate limits across servers: ${answer.servers} (each server enforces ${meaning}).`,
      `Default plan: ${answer.defaultPlan ?? 'none (customers without a plan have no limit)'}.`,
    ])
  },
}

function stateText({ state, counted, countedUntil }: Server): string {
  return state === 'silent' && counted ? `silent, counted until ${timeText(countedUntil)}` : state
}

function troubleLines({ id, applyError, unknownScopes }: Server): string[] {
  const short = id.slice(0, 8)
  return [
    ...(applyError === null ? [] : [`${short} refused the last payload: ${applyError.message}`]),
    ...(unknownScopes.length === 0 ? [] : [`${short} uses scopes that no plan has: ${unknownScopes.join(', ')}`]),
  ]
}
