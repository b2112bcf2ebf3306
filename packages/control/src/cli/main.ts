import { parseArgs } from 'node:util'
import { RailError } from '@rail/core'
import { VERSION } from '../base/version.js'
import { sqliteFault } from '../store/sqlite.js'
import { type Client, createClient } from './client.js'
import type { Command, Option, Values } from './command.js'
import { COMMANDS } from './commands/index.js'
import { reasonOf } from './files.js'
import { helpFor, helpOfAll, helpOfGroup } from './help.js'
import { CliError, type ExitCode, type Io } from './io.js'
import { API_OPTIONS, COMMON_OPTIONS } from './options.js'
import { printable } from './table.js'

/** Runs a command line. Returns the exit code: 0 done, 1 refused by the control plane, 2 wrong usage or unreachable. */
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
    const text = textFor(error)
    if (text === undefined) throw error
    io.error(text.split('\n').map(printable).join('\n'))
    return error instanceof CliError ? error.exitCode : 2
  }
}

/** What to print for an error: ours, the system's and SQLite's have a sentence for people. A bug has none. */
function textFor(error: unknown): string | undefined {
  if (error instanceof CliError || error instanceof RailError) return error.message
  if (!(error instanceof Error)) return undefined
  if (sqliteFault(error) !== undefined) return error.message
  if (!('syscall' in error)) return undefined
  return 'path' in error ? `Cannot use ${error.path}: ${reasonOf(error)}.` : error.message
}

async function run(command: Command, args: readonly string[], values: Values, io: Io, name: string): Promise<void> {
  const [least, most] = command.args
  if (args.length < least || args.length > most) {
    throw new CliError(2, `Usage: rail-control ${`${name} ${command.usage}`.trim()}`)
  }
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

/** The words of a command line. Options may be before, between or after them. */
function wordsIn(args: readonly string[]): readonly string[] {
  const options = { ...API_OPTIONS, ...COMMON_OPTIONS }
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true }).positionals
}

/** The command of the first words: `override set` before `override`. */
function commandIn(args: readonly string[]): [name: string, command: Command] | undefined {
  const words = wordsIn(args)
  for (const name of [words.slice(0, 2).join(' '), words[0] ?? '']) {
    const command = COMMANDS.get(name)
    if (command !== undefined) return [name, command]
  }
  return undefined
}

function parsed(args: readonly string[], command: Command, name: string): { values: Values; positionals: string[] } {
  const options: Record<string, Option> = {
    ...(command.local ? {} : API_OPTIONS),
    ...COMMON_OPTIONS,
    ...command.options,
  }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    return { values: values as Values, positionals }
  } catch (cause) {
    // Node's first sentence names the option. The rest is about arguments that begin with a dash.
    const [sentence] = (cause as Error).message.split(/\. |\.$/)
    throw new CliError(2, `${sentence}. Run rail-control ${name} --help for its options.`, { cause })
  }
}

function withoutCommand(args: readonly string[], io: Io): ExitCode {
  if (args.includes('--version')) {
    io.out(VERSION)
    return 0
  }
  const words = wordsIn(args)
  const wantsHelp = args.includes('--help') || args.includes('-h')
  const group = helpOfGroup(words[0] ?? '')
  if (wantsHelp || args.length === 0) {
    io.out(group ?? helpOfAll())
    return 0
  }
  io.error(group ?? `There is no command "${words.join(' ')}".\n\n${helpOfAll()}`)
  return 2
}
