import { messageOf } from './failure.js'

/** What the store uses of any client. */
export interface Connection {
  /** Whether keys of different tags may be on different servers. */
  readonly isCluster: boolean
  /** Whether the client writes a command in an immediate of its own. */
  readonly writesLater: boolean
  /** The server of a cluster that has the keys of a tag. `''` where there is only one, or it is not known. */
  serverOf(tag: string): string
  /** Why nothing can be sent now. `undefined` where something can. */
  notReady(): string | undefined
  /** Runs the script once. Does not try again where the script may have run, and sends nothing after `batch` has failed. */
  run(
    script: string,
    sha: string,
    keys: readonly string[],
    args: readonly string[],
    batch: { readonly failed: AbortSignal },
  ): PromiseLike<unknown>
  /** Makes the client find the server of a key again, since the known one failed. Missing where a client does so by itself. */
  lookAgain?(key: string): void
  /** The reply of each server to `INFO`. Empty where the connection cannot send it. */
  info(): Promise<readonly unknown[]>
}

/**
 * Runs a Lua script once, by any client: by its SHA-1, and by its text where Redis replies that it does not know the script
 * (`NOSCRIPT`). Must not try again after any other error, since the script may have run. All keys and arguments are strings.
 */
export type RunScript = (
  script: string,
  sha: string,
  keys: readonly string[],
  args: readonly string[],
) => PromiseLike<unknown>

/** Runs a script by its SHA-1, and by its text where Redis does not know the SHA-1: nothing has run then. */
export function runBySha<T>(bySha: () => Promise<T>, byText: () => Promise<T>): Promise<T> {
  return bySha().catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return byText()
    throw error
  })
}

/**
 * Listens for `error` events, since one without a listener ends the process. Returns a function that adds the latest error, or
 * where to find one, to the reason why nothing can be sent. One listener for each client, however many stores use it.
 */
export function hearErrors(client: {
  on?(event: 'error', listener: (error: unknown) => void): unknown
}): (reason: string) => string {
  let explain = explained.get(client)
  if (explain === undefined) {
    let latest = 'see its error event'
    client.on?.('error', (error) => {
      // That of a cluster of ioredis says only that no node could be reached.
      const { lastNodeError } = (error ?? {}) as { lastNodeError?: unknown }
      latest = `its latest error: ${messageOf(lastNodeError ?? error)}`
    })
    explain = (reason) => `${reason} (${latest})`
    explained.set(client, explain)
  }
  return explain
}

const explained = new WeakMap<object, (reason: string) => string>()
