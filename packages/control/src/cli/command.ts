import type { Client } from './client.js'
import type { Io } from './io.js'

/** The values of options, as `parseArgs` returns them. */
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** An option of a command, in the form that `parseArgs` takes, with its line of help. */
export interface Option {
  readonly type: 'string' | 'boolean'
  readonly multiple?: boolean
  readonly short?: string
  /** The value, as in the help: `<number>`. Only for `string`. */
  readonly value?: string
  readonly help: string
}

/** What a command has when it runs. */
export interface CommandContext {
  readonly io: Io
  /** The arguments after the command's own words. */
  readonly args: readonly string[]
  readonly values: Values
  /** The admin API. Created on the first call, because not every command needs it. */
  client(): Client
  /** Prints the answer: as JSON with `--json`, else as lines. */
  show(answer: object, lines: () => readonly string[]): void
}

/** A command. */
export interface Command {
  /** The arguments: `<name>`, `[limit…]`. */
  readonly usage: string
  /** One line that begins with a verb. */
  readonly summary: string
  /** More for its own help. */
  readonly details?: readonly string[]
  /** An example, without `rail-control`. */
  readonly example?: string
  /** How many arguments it takes. */
  readonly args: readonly [least: number, most: number]
  readonly options?: Readonly<Record<string, Option>>
  /** Whether it never calls the admin API, and so has no `--url` and no `--token`. @default false */
  readonly local?: boolean
  run(context: CommandContext): Promise<void>
}

/** The value of a string option, `undefined` if it was not given. */
export function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}
