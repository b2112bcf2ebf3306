import { type BigIntStats, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'

/**
 * What a look at a file found: the same as before; a change that may not be complete; new bytes, after the file has stood
 * still; or why it cannot be read.
 */
export type Look = 'unchanged' | 'changing' | { readonly bytes: Buffer } | { readonly failure: unknown }

/** A file that is read only when its metadata were the same at two looks: a file that is being written is left alone. */
export class StandingFile {
  readonly #path: string
  /** The state at the last look. */
  #last: string
  /** The state in which the file was read; `''`: none that a later write must change. */
  #read = ''

  /** Makes the first look. @throws Error of the file system */
  constructor(path: string) {
    this.#path = path
    this.#last = stateOf(statSync(path, { bigint: true }))
  }

  /** Looks again, some time after the last look. Never rejects. */
  async look(): Promise<Look> {
    try {
      const before = await stat(this.#path, { bigint: true })
      const state = stateOf(before)
      if (state === this.#read) return 'unchanged'
      if (!this.#isStill(state)) return 'changing'
      const bytes = await readFile(this.#path)
      if (!this.#isStill(stateOf(await stat(this.#path, { bigint: true })))) return 'changing'
      this.#read = isFinal(before) ? state : ''
      return { bytes }
    } catch (failure) {
      // A file is away for a moment where it is replaced by removing it first.
      if (!this.#isStill(String(failure))) return 'changing'
      this.#read = ''
      return { failure }
    }
  }

  /** Whether the state is that of the last look. */
  #isStill(state: string): boolean {
    const isStill = state === this.#last
    this.#last = state
    return isStill
  }
}

/** The state of a file by its metadata, which is cheap to read. */
function stateOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join()
}

/** Whether any later write must change the state, even on a file system with coarse times. */
function isFinal({ mtimeMs }: BigIntStats): boolean {
  return Date.now() - Number(mtimeMs) > COARSEST_MTIME_MS
}

/** FAT stores times to 2 seconds. */
const COARSEST_MTIME_MS = 3_000
