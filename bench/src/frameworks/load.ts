import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { quantile } from '../statistics.js'
import { requestsOf } from './duplex.js'

const CONNECTIONS = 16

/** What a burst of requests came to. */
export interface Burst {
  readonly perSecond: number
  readonly p50Us: number
  readonly p99Us: number
}

/** Connections to a server that send a request each as soon as the one before it is answered. */
export class Load {
  readonly #sockets: readonly Socket[]
  readonly #requests = requestsOf(1_000)
  #next = 0

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets
  }

  static async open(port: number): Promise<Load> {
    const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, '127.0.0.1').setNoDelay())
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    return new Load(sockets)
  }

  /** Sends so many requests. @throws Error where a connection ends */
  async burst(count: number): Promise<Burst> {
    const times: number[] = []
    let sent = 0
    const from = performance.now()
    await Promise.all(
      this.#sockets.map(async (socket) => {
        while (sent < count) {
          sent++
          const at = performance.now()
          await this.#ask(socket)
          times.push((performance.now() - at) * 1_000)
        }
      }),
    )
    const perSecond = (count / (performance.now() - from)) * 1_000
    return { perSecond, p50Us: quantile(times, 0.5), p99Us: quantile(times, 0.99) }
  }

  /** The head of one answer. */
  head(): Promise<string> {
    return this.#ask(this.#sockets[0] as Socket)
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #ask(socket: Socket): Promise<string> {
    return new Promise((resolve, reject) => {
      let received = ''
      const ended = (): void => reject(new Error('a server has closed a connection'))
      const read = (chunk: Buffer): void => {
        received += chunk.toString('latin1')
        const end = received.indexOf('\r\n\r\n')
        if (end === -1 || received.length < end + 4 + lengthIn(received)) return
        socket.off('data', read)
        socket.off('close', ended)
        resolve(received.slice(0, end))
      }
      socket.on('data', read)
      socket.on('close', ended)
      socket.write(this.#requests[this.#next++ % this.#requests.length] as Buffer)
    })
  }
}

function lengthIn(head: string): number {
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without a length: ${head}`)
  return Number(length)
}
