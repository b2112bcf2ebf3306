import { isOfLogin, messageOf } from './failure.js'

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
export function runBySha<T>(bySha: () => Promise<T>, byText: () => Promise<T>, heard: HeardErrors): Promise<T> {
  return bySha().catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return byText()
    heard.reply(error)
    throw error
  })
}

/** What is known of a client's errors. */
export interface HeardErrors {
  /** The reason why nothing can be sent, with the latest error, or where to find one. */
  explain(reason: string): string
  /** Notes an error that Redis replied with: some end the connection, and the client's next error says only that. */
  reply(error: unknown): void
}

/** What {@link hearErrors} uses of a client. */
export interface ErrorEvents {
  on?(event: 'error' | 'ready' | 'connect', listener: (error: unknown) => void): unknown
}

/**
 * Listens for `error` events, since one without a listener ends the process. One listener for each client, however many
 * stores use it.
 *
 * @param connected The event after which earlier errors explain nothing any more.
 */
export function hearErrors(client: ErrorEvents, connected: 'ready' | 'connect' = 'ready'): HeardErrors {
  const known = heard.get(client)
  if (known !== undefined) return known
  let latest: string | undefined
  const note = (error: unknown): void => {
    // That of a cluster of ioredis says only that no node could be reached.
    const { lastNodeError } = (error ?? {}) as { lastNodeError?: unknown }
    const text = messageOf(lastNodeError ?? error)
    if (latest === undefined || isOfLogin(text) || !isOfLogin(latest)) latest = text
  }
  client.on?.('error', note)
  client.on?.(connected, () => {
    latest = undefined
  })
  const errors: HeardErrors = {
    explain: (reason) => `${reason} (${latest === undefined ? 'see its error event' : `its latest error: ${latest}`})`,
    reply: (error) => {
      if (isOfLogin(messageOf(error))) note(error)
    },
  }
  heard.set(client, errors)
  return errors
}

const heard = new WeakMap<object, HeardErrors>()
