import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'

/** A response as it came over the socket. */
export interface Answer {
  readonly status: number
  readonly body: string
  /** The value of a header, its lines joined with `, `, or undefined. */
  header(name: string): string | undefined
  /** How many lines a header came in. */
  lines(name: string): number
}

/** A request, apart from its path. */
export interface WireRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A request that takes longer fails its test. No request waits on purpose. */
const HANGING_MS = 10_000

/** A client of one origin with connections of its own. It shows responses as they came, and follows or retries nothing. */
export class Wire {
  readonly #origin: URL
  readonly #agent = new Agent({ keepAlive: true })

  constructor(url: string) {
    this.#origin = new URL(url)
  }

  /** One request, to its end. */
  request(path: string, { method = 'GET', headers = {}, body }: WireRequest = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest({ ...this.#to(path), method, headers, agent: this.#agent, timeout: HANGING_MS })
      sent.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('error', reject)
        response.on('end', () => resolve(answerOf(response.statusCode as number, response.rawHeaders, text)))
      })
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered`)))
      sent.on('error', reject)
      sent.end(body)
    })
  }

  /** Sends a request, and ends the connection after the first bytes of the response. */
  leave(path: string, headers: Readonly<Record<string, string>>): Promise<void> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest({ ...this.#to(path), headers, agent: false, timeout: HANGING_MS })
      sent.on('response', (response) => response.once('data', () => sent.destroy()))
      sent.on('timeout', () => reject(new Error(`${path} was not answered`)))
      sent.on('error', () => {})
      sent.on('close', () => resolve())
      sent.end()
    })
  }

  /** Sends a request and does not wait; `left` ends its connection. */
  send(
    path: string,
    headers: Readonly<Record<string, string>>,
  ): { answer: Promise<Answer | undefined>; left(): Promise<void> } {
    const sent = httpRequest({ ...this.#to(path), headers, agent: false, timeout: HANGING_MS })
    const closed = new Promise<void>((resolve) => sent.on('close', resolve))
    const answer = new Promise<Answer | undefined>((resolve) => {
      sent.on('response', (response) => {
        response.resume()
        resolve(answerOf(response.statusCode as number, response.rawHeaders, ''))
      })
      sent.on('error', () => resolve(undefined))
    })
    sent.end()
    return {
      answer,
      left: () => {
        sent.destroy()
        return closed
      },
    }
  }

  /** Sends several requests on one socket before it reads any answer. Resolves with all that came back. */
  pipeline(requests: readonly (WireRequest & { readonly path: string })[]): Promise<string> {
    const { hostname, port, host } = this.#origin
    const text = requests.map(({ path, method = 'GET', headers = {}, body = '' }, index) => {
      const last = index === requests.length - 1 ? { Connection: 'close' } : {}
      const length = body === '' ? {} : { 'Content-Length': String(body.length) }
      const fields = Object.entries({ Host: host, ...length, ...headers, ...last })
      const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`)
      return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
    })
    return new Promise((resolve, reject) => {
      let came = ''
      const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(text.join(''), 'latin1'))
      socket.setEncoding('latin1')
      socket.setTimeout(HANGING_MS, () => socket.destroy(new Error('the pipeline was not answered')))
      socket.on('data', (chunk: string) => {
        came += chunk
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(came))
    })
  }

  /** Options for a path, which is sent as it is: a URL would normalise it. */
  #to(path: string): { hostname: string; port: string; path: string } {
    return { hostname: this.#origin.hostname, port: this.#origin.port, path }
  }

  close(): void {
    this.#agent.destroy()
  }
}

function answerOf(status: number, raw: readonly string[], body: string): Answer {
  const values = (name: string): string[] =>
    raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name.toLowerCase())
  return {
    status,
    body,
    header: (name) => (values(name).length === 0 ? undefined : values(name).join(', ')),
    lines: (name) => values(name).length,
  }
}
