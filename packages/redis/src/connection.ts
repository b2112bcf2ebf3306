/** What the store needs of any client. */
export interface Connection {
  /** Whether keys of different tags may be on different servers. */
  readonly isCluster: boolean
  /** Which server of a cluster has the keys of a tag; `''` where there is one, or it is not known. */
  serverOf(tag: string): string
  /** Why nothing can be sent now; `undefined` if it can. */
  notReady(): string | undefined
  /** Runs the script once. Never again after it may have run. */
  run(script: string, sha: string, keys: readonly string[], args: readonly string[]): PromiseLike<unknown>
  /** Has the client look again which server has a key, since the one that it knew failed; nothing where it does so by itself. */
  lookAgain?(key: string): void
  /** What each server says of its memory (`INFO memory`); nothing where this cannot be asked. */
  memoryInfo(): Promise<readonly unknown[]>
}

/**
 * Runs a Lua script by whatever client there is, once: by its SHA-1, and by its text where Redis answers that it does not
 * know it (`NOSCRIPT`). Must not try again after any other error, since the script may have run. All keys and arguments
 * are texts.
 */
export type RunScript = (
  script: string,
  sha: string,
  keys: readonly string[],
  args: readonly string[],
) => PromiseLike<unknown>

/** By SHA-1 first, by text only where Redis does not know it: nothing has run then. */
export function runBySha<T>(bySha: () => Promise<T>, byText: () => Promise<T>): Promise<T> {
  return bySha().catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return byText()
    throw error
  })
}

/** Without a listener an `error` event ends the process. Failures are told by the takes that meet them. */
export function hearErrors(client: { on?(event: 'error', listener: (error: unknown) => void): unknown }): void {
  const { listeners } = client as { listeners?(event: string): unknown[] }
  if (listeners?.call(client, 'error').includes(ignore)) return
  client.on?.('error', ignore)
}

function ignore(): void {}
