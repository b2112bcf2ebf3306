import type { Duration } from '@rail/core'
import { startControlPlane } from '../../start/control-plane.js'
import { DEFAULT_PORT } from '../../start/options.js'
import { type Command, textOf } from '../command.js'
import { CliError, type Io } from '../io.js'

const SAME_ERROR_MS = 60_000

/** `serve`: runs the control plane until it is stopped. */
export const serve: Command = {
  usage: '',
  summary: 'run the control plane (its first start prints two tokens)',
  local: true,
  args: [0, 0],
  options: {
    data: { type: 'string', value: '<directory>', help: 'the data directory (default: ./rail-data)' },
    port: { type: 'string', value: '<number>', help: `the port, 0 for any free one (default: ${DEFAULT_PORT})` },
    host: { type: 'string', value: '<address>', help: 'the address to listen on (default: 127.0.0.1)' },
    'sync-every': { type: 'string', value: '<duration>', help: 'how often servers sync, at most 1m (default: 15s)' },
  },
  run: async ({ io, values, show }) => {
    // From here on: a reader of the address may stop the process right away.
    const stopped = io.stopped()
    const { data = './rail-data', host = '127.0.0.1' } = { data: textOf(values, 'data'), host: textOf(values, 'host') }
    // startControlPlane checks it: core's type is narrower than what people may type.
    const syncEvery = textOf(values, 'sync-every') as Duration | undefined
    const port = portIn(textOf(values, 'port') ?? String(DEFAULT_PORT))
    const control = await startControlPlane({ data, port, host, syncEvery, onError: errorPrinter(io) }).catch(
      (cause: unknown) => {
        if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw cause
        throw new CliError(
          2,
          `--port: expected a free port, got ${port}, which is in use. Is a control plane running?`,
          {
            cause,
          },
        )
      },
    )
    const { url, firstTokens } = control
    show({ url, data, tokens: firstTokens ?? null }, () => [
      `The control plane listens on ${url}, its data is in ${data}.`,
      ...(firstTokens === undefined ? [] : tokenLines(firstTokens, url)),
    ])
    if (!/^(127\.|localhost$|::1$)/.test(host)) {
      io.error(`${host} is reachable without TLS. Allow only a proxy with TLS, or a network of your own, to connect.`)
    }
    await stopped
    await control.close()
  },
}

function tokenLines({ admin, sync }: { admin: string; sync: string }, url: string): string[] {
  const isDefault = url === `http://127.0.0.1:${DEFAULT_PORT}`
  return [
    '',
    'Its first two tokens are shown only now. The database has only their hashes.',
    '',
    'For your servers, which only sync:',
    `  ${sync}`,
    'For you, who may change everything:',
    `  export ${isDefault ? '' : `RAIL_URL=${url} `}RAIL_TOKEN=${admin}`,
    '',
    'Create a plan, and make it the default:',
    '  rail-control plans set free --per-second 10 --per-minute 300',
    '  rail-control settings --default-plan free',
  ]
}

/** A port number. @throws CliError for anything else */
function portIn(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new CliError(2, `--port: expected 0 to 65535, got "${text}".`)
}

/** Prints errors, the same one at most once a minute. */
function errorPrinter(io: Io): (error: unknown) => void {
  const printed = new Map<string, number>()
  return (error) => {
    const text = error instanceof Error ? error.message : String(error)
    const now = performance.now()
    if (now - (printed.get(text) ?? Number.NEGATIVE_INFINITY) < SAME_ERROR_MS) return
    if (printed.size >= 100) printed.clear()
    printed.set(text, now)
    io.error(`${new Date().toISOString()} ${text}`)
  }
}
