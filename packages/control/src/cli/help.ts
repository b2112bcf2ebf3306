import type { Command, Option } from './command.js'
import { COMMANDS } from './commands/index.js'
import { API_OPTIONS, COMMON_OPTIONS } from './options.js'

const EXIT_CODES = 'Exit code: 0 done, 1 refused by the control plane, 2 wrong usage or not reachable.'

/** The help of `rail-control`: all commands. */
export function helpOfAll(): string {
  return [
    'Usage: rail-control <command> [options]',
    '',
    ...columns([...COMMANDS].map(([name, { summary }]) => [name, summary])),
    '',
    'Options of every command (serve and backup have no --url and no --token):',
    ...optionLines({ ...API_OPTIONS, ...COMMON_OPTIONS }),
    '',
    'Run rail-control <command> --help for the options of a command.',
    EXIT_CODES,
  ].join('\n')
}

/** The help of commands that begin with one word (`override`), `undefined` if there are none. */
export function helpOfGroup(word: string): string | undefined {
  const names = [...COMMANDS].filter(([name]) => name.startsWith(`${word} `))
  if (names.length === 0) return undefined
  return [
    `Usage: rail-control ${word} <command> [options]`,
    '',
    ...columns(names.map(([name, { usage, summary }]) => [`${name} ${usage}`.trim(), summary])),
    '',
    `Run rail-control ${word} <command> --help for the options of a command.`,
  ].join('\n')
}

/** The help of one command: its arguments, its own options, and those that it shares. */
export function helpFor(name: string, { usage, summary, details = [], example, options, local }: Command): string {
  return [
    `Usage: rail-control ${[name, usage, options && '[options]'].filter(Boolean).join(' ')}`,
    '',
    `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`,
    ...details,
    ...(example === undefined ? [] : ['', `  rail-control ${example}`]),
    '',
    ...optionLines({ ...options, ...(local ? {} : API_OPTIONS), json: COMMON_OPTIONS.json }),
    '',
    EXIT_CODES,
  ].join('\n')
}

function optionLines(options: Readonly<Record<string, Option>>): string[] {
  return columns(
    Object.entries(options).map(([name, { short, value, help }]) => {
      const names = short === undefined ? `--${name}` : `-${short}, --${name}`
      return [value === undefined ? names : `${names} ${value}`, help]
    }),
  )
}

function columns(rows: readonly (readonly [left: string, right: string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
