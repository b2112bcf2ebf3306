/** Input and output of a command: data to `out`, everything else to `error`, in whole lines. */
export interface Io {
  out(line: string): void
  error(line: string): void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Standard input, for `-` in place of a file. */
  readAll(): Promise<Uint8Array<ArrayBuffer>>
  /** Resolves when the process gets SIGINT or SIGTERM. */
  stopped(): Promise<void>
}

/** 0: done. 1: refused by the control plane. 2: wrong usage, or it cannot be reached. */
export type ExitCode = 0 | 1 | 2

/** Ends a command with a sentence for people and an exit code. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.exitCode = exitCode
  }
}
