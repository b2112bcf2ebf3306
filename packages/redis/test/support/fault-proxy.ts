import { once } from 'node:events'
import { createConnection, createServer, type Socket } from 'node:net'

/** What stands between a client and a server, and can do harm. */
export interface FaultProxy {
  readonly port: number
  /**
   * `pass`; `mute`: the server hears, its answers are lost; `blackhole`: nothing passes either way. A connection that was
   * made before stays as it is.
   */
  mode: 'pass' | 'mute' | 'blackhole'
  /** Holds everything back by so many milliseconds. */
  latencyMs: number
  /** Breaks every connection by an RST. */
  reset(): void
  /** As reset; resolves when a client has come back, and so has seen it. */
  resetUntilBack(): Promise<void>
  /** Refuses connections from now on, and breaks those that are there. */
  refuse(): Promise<void>
  /** Listens again. */
  listen(): Promise<void>
  close(): Promise<void>
}

export async function startFaultProxy(target: number): Promise<FaultProxy> {
  const sockets = new Set<Socket>()
  let port = 0
  let server = createServer()
  let onBack: (() => void) | undefined
  const onConnection = (near: Socket): void => {
    onBack?.()
    const far = createConnection({ host: '127.0.0.1', port: target })
    for (const [from, to, answers] of [
      [near, far, false],
      [far, near, true],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('data', (data) => {
        if (proxy.mode === 'blackhole' || (proxy.mode === 'mute' && answers)) return
        if (proxy.latencyMs === 0) to.write(data)
        else setTimeout(() => to.write(data), proxy.latencyMs)
      })
    }
  }
  const proxy: FaultProxy = {
    get port() {
      return port
    },
    mode: 'pass',
    latencyMs: 0,
    reset() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    async resetUntilBack() {
      const back = new Promise<void>((resolve) => {
        onBack = resolve
      })
      proxy.reset()
      await back
    },
    async refuse() {
      server.close()
      proxy.reset()
      await once(server, 'close')
    },
    async listen() {
      server = createServer(onConnection).listen(port, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      if (typeof address === 'object' && address !== null) port = address.port
    },
    async close() {
      if (server.listening) await proxy.refuse()
    },
  }
  await proxy.listen()
  return proxy
}
