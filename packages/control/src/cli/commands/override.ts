import type { Effective, StoredCustomer } from '../../customers/customer-schemas.js'
import { type Command, textOf } from '../command.js'
import { CliError } from '../io.js'
import { LIMIT_OPTIONS, limitsIn, tokensIn } from '../limit-options.js'
import { customerPath, limitLines } from './customers.js'

type Detail = StoredCustomer & { effective: Effective }

/** `override set`: an exception for one customer. */
export const overrideSet: Command = {
  usage:
    '<customer> --per-second 50 [--limit name=50] [--burst 100] [--for 24h | --until 2026-12-01T00:00:00Z] [--reason text]',
  summary: 'give one customer another limit, for a while or for good (no-limit: none; inherit: as the plan says)',
  args: [1, 1],
  options: {
    ...LIMIT_OPTIONS,
    burst: { type: 'string' },
    for: { type: 'string' },
    until: { type: 'string' },
    reason: { type: 'string' },
    author: { type: 'string' },
  },
  run: async ({ client, io, args: [id = ''], values, show }) => {
    const limits = limitsIn(values)
    if (limits.length === 0) throw new CliError(2, 'Say which limit, such as --per-second 50.')
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
    if (before === undefined) io.error(`${id} was not known until now. (A mistyped id?)`)
    for (const name of lowered(before, answer)) io.error(`${name} of ${id} is lower than it was.`)
    for (const [name, why] of idle(answer, limits)) io.error(`This override of ${name} changes nothing: ${why}.`)
    show(answer, () => [`${id}, on all servers within 15 seconds:`, ...limitLines(answer)])
  },
}

/** `override clear`: takes exceptions back. */
export const overrideClear: Command = {
  usage: '<customer> [limit…]',
  summary: 'take overrides of a customer back: those named (per_second), else all',
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

/** The limits that an override made smaller than they were: seldom what was meant. */
function lowered(before: Detail | undefined, after: Detail): string[] {
  const was = new Map(before?.effective.limits.map(({ name, limit }) => [name, limit]))
  return after.effective.limits.flatMap(({ name, limit }) => {
    const { tokens = 0 } = was.get(name) ?? {}
    return limit !== null && was.has(name) && (was.get(name) === null || limit.tokens < tokens) ? [name] : []
  })
}

/** Those that were just set and are not in force, unless that is what was said. */
function idle({ effective }: Detail, set: readonly (readonly [name: string, text: string])[]): [string, string][] {
  const whys = {
    ended: 'it has ended already',
    'not in the plan': "the customer's plan has no such limit",
    inherits: '',
  }
  return effective.idle.flatMap(({ name, why }): [string, string][] =>
    why !== 'inherits' && set.some(([one]) => one === name) ? [[name, whys[why]]] : [],
  )
}

/** A number of tokens, or one of two words. @throws CliError for what is neither */
function valueIn(text: string, name: string): number | string {
  if (text === 'no-limit' || text === 'inherit') return text
  if (/^\d+$/.test(text)) return tokensIn(text, name)
  throw new CliError(2, `${name} is a whole number of tokens, no-limit or inherit, got ${text}.`)
}
