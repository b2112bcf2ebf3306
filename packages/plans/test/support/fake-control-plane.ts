import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import {
  type SyncDocument,
  type SyncRequest,
  type SyncResponse,
  syncRequestSchema,
  syncResponseSchema,
} from '../../src/protocol/messages.js'

/** Answers a request in place of the fake control plane. */
export type Answering = (request: SyncRequest, response: ServerResponse, plane: FakeControlPlane) => void

/** A control plane on a real socket. It follows the protocol, and answers as a test wants. */
export interface FakeControlPlane {
  readonly url: string
  /** All requests that came, each checked against the protocol. */
  readonly requests: SyncRequest[]
  /** The bodies' sizes as they were sent, and how they were encoded. */
  readonly sent: { readonly bytes: number; readonly encoding: string | undefined; readonly token: string | undefined }[]
  epoch: string
  rev: number
  setting: 'each' | 'split'
  servers: number
  serverTime: number
  document: SyncDocument
  /** Answers in place of the usual answer; `undefined`: the usual one. */
  answering: Answering | undefined
  /** The usual answer to a request, checked against the protocol. */
  answerTo(request: SyncRequest): SyncResponse
  /** Reports that were counted: each number of an instance once. */
  readonly counted: Map<string, NonNullable<SyncRequest['report']>>
  /** Ends all connections and no longer listens. */
  stop(): Promise<void>
  /** Listens again, on the same port. */
  restart(): Promise<void>
}

export const DOCUMENT: SyncDocument = {
  defaultPlan: 'free',
  plans: [
    ['free', { limits: { per_second: 10 } }],
    ['pro', { limits: { per_second: 50 }, scopes: { writes: { per_minute: 60 } } }],
  ],
  customers: [
    ['acme', { plan: 'pro' }],
    ['zeta', {}],
  ],
}

export async function fakeControlPlane(): Promise<FakeControlPlane> {
  const sockets = new Set<Socket>()
  let port = 0

  const server = createServer(async (raw, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of raw) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const encoding = raw.headers['content-encoding']
    const text = (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString()
    const request = syncRequestSchema.parse(JSON.parse(text))
    plane.requests.push(request)
    plane.sent.push({ bytes: bytes.length, encoding, token: raw.headers.authorization })
    if (plane.answering !== undefined) return plane.answering(request, response, plane)
    answerJson(response, plane.answerTo(request))
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const listen = (): Promise<void> => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))

  const plane: FakeControlPlane = {
    url: '',
    requests: [],
    sent: [],
    epoch: 'epoch-1',
    rev: 1,
    setting: 'each',
    servers: 1,
    serverTime: 1_000_000,
    document: DOCUMENT,
    answering: undefined,
    counted: new Map(),
    answerTo: ({ have, report, instance }) => {
      if (report !== undefined && !plane.counted.has(`${instance} ${report.seq}`))
        plane.counted.set(`${instance} ${report.seq}`, report)
      const { epoch, rev, setting, servers, serverTime, document } = plane
      const current = have?.epoch === epoch && have.rev === rev
      return syncResponseSchema.parse({
        v: 1,
        epoch,
        rev,
        setting,
        servers,
        nextSyncMs: 15_000,
        serverTime,
        ...(report && { ackSeq: report.seq }),
        ...(current ? { kind: 'unchanged' } : { kind: 'full', document }),
      })
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
    restart: listen,
  }
  await listen()
  port = (server.address() as AddressInfo).port
  return Object.assign(plane, { url: `http://127.0.0.1:${port}` })
}

export function answerJson(response: ServerResponse, body: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
}
