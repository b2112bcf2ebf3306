import type { ParseArgsConfig } from 'node:util'
import type { Client } from './client.js'
import type { Io } from './io.js'

/** The values of options, as `parseArgs` gives them. */
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** What a command has when it runs. */
export interface CommandContext {
  readonly io: Io
  /** What stands after the command's own words. */
  readonly args: readonly string[]
  readonly values: Values
  /** The admin API; made when it is first asked for, because not every command needs it. */
  client(): Client
  /** Prints the answer: as JSON where that is wanted, else as lines. */
  show(answer: object, lines: () => readonly string[]): void
}

/** A command. */
export interface Command {
  /** What stands after its words: `<name>`, `[limit…]`. */
  readonly usage: string
  /** One line. */
  readonly summary: string
  /** How many arguments it takes. */
  readonly args: readonly [least: number, most: number]
  readonly options?: NonNullable<ParseArgsConfig['options']>
  run(context: CommandContext): Promise<void>
}

/** The text of an option; `undefined` where it was not given. */
export function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}
