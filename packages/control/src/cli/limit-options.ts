import { textOf, type Values } from './command.js'
import { CliError } from './io.js'

/** Options that name limits: `--per-second 50`, and `--limit writes.per_minute=50` for all others. */
export const LIMIT_OPTIONS = {
  'per-second': { type: 'string' },
  'per-minute': { type: 'string' },
  'per-hour': { type: 'string' },
  'per-day': { type: 'string' },
  limit: { type: 'string', multiple: true },
} as const

/** The limits that were named, by their names as sent, with the text that was given for each. @throws CliError */
export function limitsIn(values: Values): [name: string, text: string][] {
  const named = Object.keys(LIMIT_OPTIONS).flatMap((option): [string, string][] => {
    const text = textOf(values, option)
    return text === undefined ? [] : [[option.replace('-', '_'), text]]
  })
  const { limit = [] } = values
  const others = (limit as readonly string[]).map((text): [string, string] => {
    const at = text.lastIndexOf('=')
    if (at < 1) throw new CliError(2, `--limit is a name and a value, such as writes.per_minute=50; got ${text}.`)
    return [text.slice(0, at), text.slice(at + 1)]
  })
  return [...named, ...others]
}

/** A number of tokens. @throws CliError for what is none */
export function tokensIn(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new CliError(2, `${name} is a whole number of tokens, got ${text}.`)
  return Number(text)
}
