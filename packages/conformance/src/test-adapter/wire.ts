import { Agent, request } from 'node:http'
import { connect } from 'node:net'

/** A response as it came over the socket. */
export interface Answer {
  readonly status: number
  readonly body: string
  /** The value of a header field, its lines joined with `, `; `undefined` without one. */
  field(name: string): string | undefined
  /** How many lines a header field came in. */
  lines(name: string): number
}

/** What to ask. */
export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Nothing here waits on purpose; a hanging app becomes a failed test instead of a hanging one. */
const HANGING_MS = 10_000

/** A client of one origin with connections of its own, that shows what came and does nothing by itself. */
export class Wire {
  readonly #origin: URL
  readonly #agent = new Agent({ keepAlive: true })

  constructor(url: string) {
    this.#origin = new URL(url)
  }

  /** One request, to its end. */
  ask(path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asked = request({ ...this.#to(path), method, headers, agent: this.#agent, timeout: HANGING_MS })
      asked.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('error', reject)
        response.on('end', () => resolve(answerOf(response.statusCode as number, response.rawHeaders, text)))
      })
      asked.on('timeout', () => asked.destroy(new Error(`${method} ${path} was not answered`)))
      asked.on('error', reject)
      asked.end(body)
    })
  }

  /** A request whose response is left after its first bytes. */
  leave(path: string, headers: Readonly<Record<string, string>>): Promise<void> {
    return new Promise((resolve, reject) => {
      const asked = request({ ...this.#to(path), headers, agent: false, timeout: HANGING_MS })
      asked.on('response', (response) => response.once('data', () => asked.destroy()))
      asked.on('timeout', () => reject(new Error(`${path} was not answered`)))
      asked.on('error', () => {})
      asked.on('close', () => resolve())
      asked.end()
    })
  }

  /** A request that is not waited for; `left` ends its connection. */
  send(
    path: string,
    headers: Readonly<Record<string, string>>,
  ): { answer: Promise<Answer | undefined>; left(): Promise<void> } {
    const asked = request({ ...this.#to(path), headers, agent: false, timeout: HANGING_MS })
    const closed = new Promise<void>((resolve) => asked.on('close', resolve))
    const answer = new Promise<Answer | undefined>((resolve) => {
      asked.on('response', (response) => {
        response.resume()
        resolve(answerOf(response.statusCode as number, response.rawHeaders, ''))
      })
      asked.on('error', () => resolve(undefined))
    })
    asked.end()
    return {
      answer,
      left: () => {
        asked.destroy()
        return closed
      },
    }
  }

  /** Several requests in one go on one socket, before any answer is read; all that came back, as text. */
  pipeline(asks: readonly (Ask & { readonly path: string })[]): Promise<string> {
    const { hostname, port, host } = this.#origin
    const text = asks.map(({ path, method = 'GET', headers = {}, body = '' }, index) => {
      const last = index === asks.length - 1 ? { Connection: 'close' } : {}
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

  /** Where a path is, as it stands: a URL would tidy it up. */
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
    field: (name) => (values(name).length === 0 ? undefined : values(name).join(', ')),
    lines: (name) => values(name).length,
  }
}
