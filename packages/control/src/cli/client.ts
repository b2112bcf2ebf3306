import { DEFAULT_PORT } from '../start/options.js'
import { CliError, type Io } from './io.js'

/** How a command reaches the control plane. */
export interface ClientOptions {
  readonly url?: string | undefined
  readonly token?: string | undefined
  /** Whether a token may go over plain http to another machine. */
  readonly insecure?: boolean | undefined
}

/** The body and headers of a request. */
export interface Send {
  /** Bytes are sent as CSV, unchanged. */
  readonly body?: object | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls the admin API. */
export interface Client {
  /** The JSON of the answer, `{}` for an empty one. @throws CliError for an error of the control plane, or no answer */
  json<Body>(method: string, path: string, send?: Send): Promise<Body>
  /** The body of the answer, unchanged. */
  text(path: string): Promise<string>
  /** Like `json`, but `undefined` for 404. */
  find<Body>(path: string): Promise<Body | undefined>
}

/** A client for the control plane of the options, else of `RAIL_URL` and `RAIL_TOKEN`. @throws CliError for wrong ones */
export function createClient(options: ClientOptions, env: Io['env']): Client {
  const url = options.url ?? env.RAIL_URL ?? `http://127.0.0.1:${DEFAULT_PORT}`
  const token = options.token ?? env.RAIL_TOKEN
  if (token === undefined || token === '') {
    throw new CliError(
      2,
      'token: expected RAIL_TOKEN or --token, got neither. The first start of the control plane printed a token.',
    )
  }
  // The error of fetch would have the token in its message.
  if (!/^[\x21-\x7e]+$/.test(token.trim())) {
    throw new CliError(
      2,
      'token: expected printable ASCII without spaces, got other characters. Check RAIL_TOKEN or --token.',
    )
  }
  checkUrl(url, options.insecure === true)
  const base = url.replace(/\/$/, '')

  async function send(method: string, path: string, { body, headers }: Send = {}): Promise<Response> {
    const isFile = body instanceof Uint8Array
    const type = isFile ? 'text/csv' : 'application/json'
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }), ...headers },
      ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
      redirect: 'error',
    }).catch((cause: unknown) => {
      const { message, code } = Object((cause as Error).cause ?? cause) as { message?: string; code?: string }
      throw new CliError(
        2,
        `Cannot reach the control plane at ${base}: ${code ?? message}. Check that it runs, and --url.`,
        { cause },
      )
    })
    if (response.ok) return response
    throw new ProblemError(response.status, await problemIn(response, base))
  }
  const json = async <Body>(method: string, path: string, sent?: Send): Promise<Body> => {
    const text = await (await send(method, path, sent)).text()
    return (text === '' ? {} : JSON.parse(text)) as Body
  }
  return {
    json,
    text: async (path) => (await send('GET', path)).text(),
    find: (path) =>
      json<never>('GET', path).catch((error: unknown) => {
        if (error instanceof ProblemError && error.status === 404) return undefined
        throw error
      }),
  }
}

/** The control plane answered with a problem. */
class ProblemError extends CliError {
  readonly status: number

  constructor(status: number, message: string) {
    super(status === 401 || status === 403 ? 2 : 1, message)
    this.status = status
  }
}

async function problemIn(response: Response, base: string): Promise<string> {
  const text = await response.text()
  try {
    const { detail, errors = [] } = JSON.parse(text) as { detail: string; errors?: { path: string; message: string }[] }
    const more = errors.length > 1 ? errors.map(({ path, message }) => `\n  ${path}: ${message}`) : []
    return detail + more.join('')
  } catch {
    return `${base}: expected the answer of a control plane, got ${response.status} ${response.statusText}. Check --url.`
  }
}

function checkUrl(url: string, insecure: boolean): void {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' }
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new CliError(2, `url: expected http:// or https://, got "${url}". Check RAIL_URL or --url.`)
  }
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
  if (protocol === 'http:' && !isLocal && !insecure) {
    throw new CliError(
      2,
      `url: expected https:// for another machine, got ${url}. Over http anybody on the way can read the token. Use https, or allow it by --insecure-http.`,
    )
  }
}
