import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** How a row ended that is not to be sent again. */
export type Ending = 'created' | 'rejected'

/** The journal beside a file, one for each service and API key: what is done for one of them is not done for another. */
export function journalPathFor(file: string, url: string, apiKey: string): string {
  return `${file}.${createHash('sha256').update(`${url} ${apiKey}`).digest('hex').slice(0, 8)}.progress`
}

/**
 * What has been done, in a file: a line for each row, appended when its answer has come. A row whose answer was lost, or whose
 * line was, is sent again with the same key.
 */
export class Journal {
  readonly #path: string
  readonly #endings = new Map<string, Ending>()

  constructor(path: string) {
    this.#path = path
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
    for (const line of lines) {
      const [, key, ending] = /^(import-[0-9a-f]{32}) (created|rejected)$/.exec(line) ?? []
      if (key !== undefined) this.#endings.set(key, ending as Ending)
    }
    // The last line may be torn, where the machine went down while it was written: the next one is not to be a part of it.
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
