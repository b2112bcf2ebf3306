import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type OutgoingHttpHeaders,
} from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import type { RunningApp } from './listen.js'

/**
 * Serves an app over HTTP/2, without TLS, by Node's API that is compatible with HTTP/1, for a harness of
 * {@link testAdapter}: the suite speaks HTTP/1.1 to a proxy in front, which speaks HTTP/2 to the app.
 */
export async function listenHttp2(
  listener: RequestListener | ((req: Http2ServerRequest, res: Http2ServerResponse) => void),
): Promise<RunningApp> {
  const app = createHttp2Server(listener as (req: Http2ServerRequest, res: Http2ServerResponse) => void)
  const session = connect(`http://127.0.0.1:${await portOf(app)}`)
  const proxy = createServer((req, res) => forward(session, req, res))
  const port = await portOf(proxy)
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      const closed = [proxy, app].map((server) => new Promise<void>((resolve) => server.close(() => resolve())))
      proxy.closeAllConnections()
      session.destroy()
      await Promise.all(closed)
    },
  }
}

function forward(session: ClientHttp2Session, req: IncomingMessage, res: ServerResponse): void {
  // Headers that HTTP/2 does not have (RFC 9113 section 8.2.2) are left out.
  const { host, connection, 'keep-alive': _, 'transfer-encoding': chunked, ...headers } = req.headers
  const endStream = chunked === undefined && headers['content-length'] === undefined
  const to = { ':method': req.method, ':path': req.url, ':authority': host, ...headers }
  const stream = session.request(to, { endStream })
  req.pipe(stream)
  stream.on('response', ({ ':status': status = 0, ...fields }) => {
    res.writeHead(status, fields as OutgoingHttpHeaders)
    stream.pipe(res)
  })
  stream.on('error', () => res.destroy())
  // The rest of a body that the app has not read is in front of the connection's next request.
  stream.on('close', () => {
    req.unpipe(stream)
    req.resume()
  })
  // The client has left. A reset of every stream would look like an attack.
  res.on('close', () => res.writableFinished || stream.close(constants.NGHTTP2_CANCEL))
}

function portOf(server: Pick<Server, 'listen' | 'address'>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
