import { parseArgs } from 'node:util'
import { RailError } from '@rail/core'
import { VERSION } from '../base/version.js'
import { sqliteFault } from '../store/sqlite.js'
import { type Client, createClient } from './client.js'
import type { Command, Values } from './command.js'
import { COMMANDS } from './commands/index.js'
import { CliError, type ExitCode, type Io } from './io.js'
import { printable } from './table.js'

const COMMON = {
  url: { type: 'string' },
  token: { type: 'string' },
  'insecure-http': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

/** Runs a command line. Gives the exit code: 0 done, 1 the control plane says no, 2 wrong usage or it cannot be reached. */
export async function main(args: readonly string[], io: Io): Promise<ExitCode> {
  try {
    const found = commandIn(args)
    if (found === undefined) return withoutCommand(args, io)
    const [name, command] = found
    const { values, positionals } = parsed(args, command, name)
    if (values.help) io.out(helpFor(name, command))
    else await run(command, positionals.slice(name.split(' ').length), values, io, name)
    return 0
  } catch (error) {
    if (!isForPeople(error)) throw error
    io.error(error.message.split('\n').map(printable).join('\n'))
    return error instanceof CliError ? error.exitCode : 2
  }
}

/** Whether an error says to whoever runs the command what is wrong: ours, the system's, and SQLite's do. */
function isForPeople(error: unknown): error is Error {
  if (error instanceof CliError || error instanceof RailError) return true
  return error instanceof Error && ('syscall' in error || sqliteFault(error) !== undefined)
}

async function run(command: Command, args: readonly string[], values: Values, io: Io, name: string): Promise<void> {
  const [least, most] = command.args
  if (args.length < least || args.length > most) throw new CliError(2, `Usage: rail-control ${name} ${command.usage}`)
  let client: Client | undefined
  await command.run({
    io,
    args,
    values,
    client: () => {
      const {
        url,
        token,
        'insecure-http': insecure,
      } = values as { url?: string; token?: string; 'insecure-http'?: boolean }
      client ??= createClient({ url, token, insecure }, io.env)
      return client
    },
    show: (answer, lines) => {
      if (values.json) io.out(JSON.stringify({ format: 1, ...answer }))
      else for (const line of lines()) io.out(printable(line))
    },
  })
}

/** The command that the first words name: `override set` before `override`. Options may stand before or between them. */
function commandIn(args: readonly string[]): [name: string, command: Command] | undefined {
  const { positionals } = parseArgs({ args: [...args], options: COMMON, strict: false, allowPositionals: true })
  for (const name of [positionals.slice(0, 2).join(' '), positionals[0] ?? '']) {
    const command = COMMANDS.get(name)
    if (command !== undefined) return [name, command]
  }
  return undefined
}

function parsed(args: readonly string[], command: Command, name: string): { values: Values; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...COMMON, ...command.options },
      allowPositionals: true,
    })
    return { values: values as Values, positionals }
  } catch (cause) {
    throw new CliError(2, `${(cause as Error).message}\n\n${helpFor(name, command)}`, { cause })
  }
}

function withoutCommand(args: readonly string[], io: Io): ExitCode {
  if (args.includes('--version')) {
    io.out(VERSION)
    return 0
  }
  const asked = args.length === 0 || args.includes('--help') || args.includes('-h')
  if (asked) io.out(HELP)
  else io.error(`There is no command "${args.filter((arg) => !arg.startsWith('-')).join(' ')}".\n\n${HELP}`)
  return asked ? 0 : 2
}

const COMMON_HELP = `  --url       the control plane, default RAIL_URL or http://127.0.0.1:7245
  --token     default RAIL_TOKEN
  --json      one JSON object instead of text
  --insecure-http   send the token over plain http to another machine

Exit code: 0 done, 1 the control plane says no, 2 wrong usage or it cannot be reached.`

const HELP = `Usage: rail-control <command>

${[...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(18)} ${summary}`).join('\n')}

  rail-control <command> --help says more.

${COMMON_HELP}`

function helpFor(name: string, { usage, summary }: Command): string {
  return `Usage: rail-control ${name} ${usage}\n\n  ${summary}\n\n${COMMON_HELP}`
}
