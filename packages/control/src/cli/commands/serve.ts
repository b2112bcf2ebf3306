import type { Duration } from '@rail/core'
import { startControlPlane } from '../../start/control-plane.js'
import { DEFAULT_PORT } from '../../start/options.js'
import { type Command, textOf } from '../command.js'
import { CliError, type Io } from '../io.js'

const SAME_ERROR_MS = 60_000

/** Runs the control plane until it is asked to stop. */
export const serve: Command = {
  usage: '[--data ./rail-data] [--port 7245] [--host 127.0.0.1] [--sync-every 15s]',
  summary: 'run the control plane; the first start prints its tokens',
  args: [0, 0],
  options: {
    data: { type: 'string' },
    port: { type: 'string' },
    host: { type: 'string' },
    'sync-every': { type: 'string' },
  },
  run: async ({ io, values, show }) => {
    // From here on: whoever reads the address may ask it to stop right away.
    const stopped = io.stopped()
    const { data = './rail-data', host = '127.0.0.1' } = { data: textOf(values, 'data'), host: textOf(values, 'host') }
    // Checked where it is used: core's type is narrower than what people may type.
    const syncEvery = textOf(values, 'sync-every') as Duration | undefined
    const port = Number(textOf(values, 'port') ?? DEFAULT_PORT)
    const control = await startControlPlane({ data, port, host, syncEvery, onError: errorTeller(io) }).catch(
      (cause: unknown) => {
        const { code, message } = cause as { code?: string; message: string }
        const why = code === 'EADDRINUSE' ? `Port ${port} is taken. Is a control plane running already?` : message
        throw new CliError(2, why, { cause })
      },
    )
    const { url, firstTokens } = control
    show({ url, data, tokens: firstTokens ?? null }, () => [
      `The control plane is at ${url}, its data in ${data}.`,
      ...(firstTokens === undefined ? [] : tokenLines(firstTokens, url)),
    ])
    if (!/^(127\.|localhost$|::1$)/.test(host)) {
      io.error(`It listens on ${host} without TLS: let only a proxy with TLS, or a network of your own, reach it.`)
    }
    await stopped
    await control.close()
  },
}

function tokenLines({ admin, sync }: { admin: string; sync: string }, url: string): string[] {
  const isDefault = url === `http://127.0.0.1:${DEFAULT_PORT}`
  return [
    '',
    'Its first tokens. They are shown this once; what is stored is a hash of each.',
    `  to administer     ${admin}`,
    `  for your servers  ${sync}`,
    '',
    'Make a plan, and put everybody on it:',
    `  export ${isDefault ? '' : `RAIL_URL=${url} `}RAIL_TOKEN=${admin}`,
    '  npx @rail/control plans set free --per-second 10 --per-minute 300',
    '  npx @rail/control settings --default-plan free',
  ]
}

/** Says what failed, the same thing once a minute. */
function errorTeller(io: Io): (error: unknown) => void {
  const told = new Map<string, number>()
  return (error) => {
    const text = error instanceof Error ? error.message : String(error)
    const now = performance.now()
    if (now - (told.get(text) ?? Number.NEGATIVE_INFINITY) < SAME_ERROR_MS) return
    if (told.size >= 100) told.clear()
    told.set(text, now)
    io.error(`${new Date().toISOString()} ${text}`)
  }
}
