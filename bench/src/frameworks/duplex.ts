import type { Server } from 'node:http'
import { Duplex } from 'node:stream'

/**
 * A connection to a server of this process, in memory: the real HTTP parser and the real framework without the kernel,
 * whose share of a request is larger and noisier than what is measured. One request after the other, kept alive.
 */
export class Connection extends Duplex {
  #answered: ((head: string) => void) | undefined
  #received = ''
  #bodyLength = -1

  constructor(server: Server) {
    super()
    // What Node's server asks of a socket.
    Object.assign(this, {
      setTimeout: () => this,
      setNoDelay: () => this,
      setKeepAlive: () => this,
      remoteAddress: '127.0.0.1',
      remotePort: 1,
    })
    server.emit('connection', this)
  }

  /** Sends a request and waits until the answer is complete: its head, with the status line. */
  ask(request: Buffer): Promise<string> {
    return new Promise((answered) => {
      this.#answered = answered
      this.push(request)
    })
  }

  override _read(): void {}

  override _write(chunk: Buffer | string, _encoding: unknown, done: () => void): void {
    this.#received += typeof chunk === 'string' ? chunk : chunk.toString('latin1')
    done()
    this.#look()
  }

  override _writev(chunks: { chunk: Buffer | string }[], done: () => void): void {
    for (const { chunk } of chunks) this.#received += typeof chunk === 'string' ? chunk : chunk.toString('latin1')
    done()
    this.#look()
  }

  #look(): void {
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return
    if (this.#bodyLength === -1) {
      const length = /content-length: (\d+)/i.exec(this.#received)
      if (length === null) throw new Error(`an answer without a length: ${this.#received}`)
      this.#bodyLength = Number(length[1])
    }
    if (this.#received.length < end + 4 + this.#bodyLength) return
    const head = this.#received.slice(0, end)
    this.#received = ''
    this.#bodyLength = -1
    this.#answered?.(head)
  }
}

/** Requests of so many customers, one after the other in a fixed disorder. */
export function requestsOf(customers: number): Buffer[] {
  return Array.from({ length: customers }, (_, index) => {
    const key = `key_${String((index * 7919) % customers).padStart(14, '0')}`
    return Buffer.from(`GET /hello HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nX-Customer: ${key}\r\n\r\n`)
  })
}
