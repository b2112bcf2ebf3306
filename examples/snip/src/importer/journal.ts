import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** How a row ended that is not to be sent again. */
export type Ending = 'created' | 'rejected'

/**
 * What has been done, in a file beside the CSV: a line for each row, appended when its answer has come. A row whose answer was
 * lost is not in it, and is sent again with the same key.
 */
export class Journal {
  readonly #path: string
  readonly #endings = new Map<string, Ending>()

  constructor(path: string) {
    this.#path = path
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
    // The last line may be torn, where the machine went down while it was written.
    for (const line of lines) {
      const [, key, ending] = /^(import-[0-9a-f]{32}) (created|rejected)$/.exec(line) ?? []
      if (key !== undefined) this.#endings.set(key, ending as Ending)
    }
    if (lines.at(-1)) appendFileSync(path, '\n')
  }

  endingOf(key: string): Ending | undefined {
    return this.#endings.get(key)
  }

  add(key: string, ending: Ending): void {
    appendFileSync(this.#path, `${key} ${ending}\n`)
    this.#endings.set(key, ending)
  }
}
