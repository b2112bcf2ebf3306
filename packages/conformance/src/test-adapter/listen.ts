import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An app under test that runs. */
export interface RunningApp {
  readonly url: string
  stop(): Promise<void> | void
}

/** Serves an app of Node's kind on a free port of 127.0.0.1, for a harness of {@link testAdapter}. */
export function listen(listener: RequestListener): Promise<RunningApp> {
  const server = createServer(listener)
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      resolve({
        url: `http://127.0.0.1:${port}`,
        stop: () =>
          new Promise((stopped) => {
            server.close(() => stopped())
            server.closeAllConnections()
          }),
      })
    })
  })
}
