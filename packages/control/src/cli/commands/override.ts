import type { Effective, StoredCustomer } from '../../customers/customer-schemas.js'
import { type Command, textOf } from '../command.js'
import { CliError } from '../io.js'
import { LIMIT_OPTIONS, limitsIn, tokensIn } from '../limit-options.js'
import { customerPath, limitLines } from './customers.js'

type Detail = StoredCustomer & { effective: Effective }

/** `override set`: another limit for one customer. */
export const overrideSet: Command = {
  usage: '<customer>',
  summary: 'give one customer another limit, for a while or for good',
  details: ['A limit is a number of tokens, no-limit (to remove it), or inherit (as in the plan).'],
  example: 'override set acme --per-second 50 --for 24h --reason launch',
  args: [1, 1],
  options: {
    ...LIMIT_OPTIONS,
    burst: { type: 'string', value: '<tokens>', help: 'the burst (default: in proportion to the plan)' },
    for: { type: 'string', value: '<duration>', help: 'end after this time, such as 24h (default: never)' },
    until: { type: 'string', value: '<time>', help: 'end at this time, such as 2026-12-01T00:00:00Z' },
    reason: { type: 'string', value: '<text>', help: 'why, for people' },
    author: { type: 'string', value: '<text>', help: "who, for people (default: the token's label)" },
  },
  run: async ({ client, io, args: [id = ''], values, show }) => {
    const limits = limitsIn(values)
    if (limits.length === 0) throw new CliError(2, 'override set: expected a limit such as --per-second 50, got none.')
    const burst = textOf(values, 'burst')
    const details = {
      burst: burst === undefined ? undefined : tokensIn(burst, '--burst'),
      for: textOf(values, 'for'),
      expires: textOf(values, 'until'),
      reason: textOf(values, 'reason'),
      author: textOf(values, 'author'),
    }
    const body = Object.fromEntries(limits.map(([name, text]) => [name, { tokens: valueIn(text, name), ...details }]))
    const before = await client().find<Detail>(customerPath(id))
    const answer = await client().json<Detail>('PATCH', `${customerPath(id)}/overrides`, { body })
    if (before === undefined) io.error(`${id} is a new customer. Check that the id is right.`)
    for (const name of lowered(before, answer)) io.error(`${name} of ${id} is lower than before.`)
    for (const [name, why] of idle(answer, limits)) io.error(`The override of ${name} has no effect: ${why}.`)
    show(answer, () => [`${id}, on all servers within 15 seconds:`, ...limitLines(answer)])
  },
}

/** `override clear`: removes overrides. */
export const overrideClear: Command = {
  usage: '<customer> [limit…]',
  summary: 'remove overrides of a customer: the limits named (per_second), else all',
  args: [1, 100],
  run: async ({ client, args: [id = '', ...names], show }) => {
    const path = customerPath(id)
    const before = await client().json<Detail>('GET', path)
    const cleared = names.length > 0 ? names : Object.keys(before.overrides)
    if (cleared.length === 0) {
      show(before, () => [`${id} has no overrides.`])
      return
    }
    const missing = cleared.find((name) => before.overrides[name] === undefined)
    if (missing !== undefined) throw new CliError(1, `${id} has no override of ${missing}.`)
    const body = Object.fromEntries(cleared.map((name) => [name, null]))
    const answer = await client().json<Detail>('PATCH', `${path}/overrides`, {
      body,
      headers: { 'if-match': `"${before.rev}"` },
    })
    show(answer, () => [`${id}, on all servers within 15 seconds:`, ...limitLines(answer)])
  },
}

/** The limits that an override lowered: rarely intended. */
function lowered(before: Detail | undefined, after: Detail): string[] {
  const was = new Map(before?.effective.limits.map(({ name, limit }) => [name, limit]))
  return after.effective.limits.flatMap(({ name, limit }) => {
    const { tokens = 0 } = was.get(name) ?? {}
    return limit !== null && was.has(name) && (was.get(name) === null || limit.tokens < tokens) ? [name] : []
  })
}

/** The overrides that were just set and have no effect, except those that inherit on purpose. */
function idle({ effective }: Detail, set: readonly (readonly [name: string, text: string])[]): [string, string][] {
  const whys = {
    ended: 'it has already ended',
    'not in the plan': "the customer's plan has no such limit",
    inherits: '',
  }
  return effective.idle.flatMap(({ name, why }): [string, string][] =>
    why !== 'inherits' && set.some(([one]) => one === name) ? [[name, whys[why]]] : [],
  )
}

/** A number of tokens, or one of two words. @throws CliError for anything else */
function valueIn(text: string, name: string): number | string {
  if (text === 'no-limit' || text === 'inherit') return text
  if (/^\d+$/.test(text)) return tokensIn(text, name, ' To remove the limit write no-limit.')
  throw new CliError(2, `${name}: expected a whole number of tokens, no-limit or inherit, got "${text}".`)
}
