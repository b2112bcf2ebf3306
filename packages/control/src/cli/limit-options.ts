import { type Option, textOf, type Values } from './command.js'
import { CliError } from './io.js'

/** Options that name limits: `--per-second 50`, and `--limit writes.per_minute=50` for all others. */
export const LIMIT_OPTIONS = {
  'per-second': { type: 'string', value: '<tokens>', help: 'limit per second' },
  'per-minute': { type: 'string', value: '<tokens>', help: 'limit per minute' },
  'per-hour': { type: 'string', value: '<tokens>', help: 'limit per hour' },
  'per-day': { type: 'string', value: '<tokens>', help: 'limit per day' },
  limit: { type: 'string', value: '<name=tokens>', multiple: true, help: 'any other limit: writes.per_minute=50' },
} as const satisfies Record<string, Option>

/** The limits that were given: the name in the headers, and the value as it was typed. @throws CliError */
export function limitsIn(values: Values): [name: string, text: string][] {
  const named = Object.keys(LIMIT_OPTIONS).flatMap((option): [string, string][] => {
    const text = textOf(values, option)
    return text === undefined ? [] : [[option.replace('-', '_'), text]]
  })
  const { limit = [] } = values
  const others = (limit as readonly string[]).map((text): [string, string] => {
    const at = text.lastIndexOf('=')
    if (at < 1) {
      throw new CliError(2, `--limit: expected a name and a value such as writes.per_minute=50, got "${text}".`)
    }
    return [text.slice(0, at), text.slice(at + 1)]
  })
  return [...named, ...others]
}

/**
 * A number of tokens.
 *
 * @param advice What to write instead of 0.
 * @throws CliError for anything else
 */
export function tokensIn(text: string, name: string, advice = ''): number {
  if (!/^\d{1,15}$/.test(text)) throw new CliError(2, `${name}: expected a whole number of tokens, got "${text}".`)
  if (Number(text) === 0) throw new CliError(2, `${name}: expected 1 or more, got 0.${advice}`)
  return Number(text)
}
