import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ManualClock, manualClock } from '@rail/core'
import { type SyncRequest, type SyncResponse, syncResponseSchema } from '@rail/plans/sync-protocol'
import { onTestFinished } from 'vitest'
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../src/index.js'
import { type Contract, contractOf } from './contract.js'

let contract: Promise<Contract> | undefined

/** A Monday morning. */
export const START = Date.UTC(2026, 10, 30, 9)

/** A data directory that is gone after the test. */
export function dataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'rail-control-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** JSON as a test looks into it: the contract has been checked, so names that are not there are the test's own mistake. */
export interface Json {
  readonly [name: string]: Json | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
  readonly text: string
}

export interface CallOptions {
  readonly method?: string
  readonly body?: unknown
  readonly token?: string | undefined
  readonly headers?: Record<string, string>
}

/** A control plane under test, and how to call it. Every answer is checked against its OpenAPI document. */
export interface Harness {
  readonly control: ControlPlane
  readonly clock: ManualClock
  readonly data: string
  readonly errors: unknown[]
  readonly adminToken: string
  readonly syncToken: string
  call(path: string, options?: CallOptions): Promise<Answer>
  sync(request?: Partial<SyncRequest>): Promise<SyncResponse>
}

export async function startHarness(
  options: Partial<ControlPlaneOptions> & { clock?: ManualClock; tokens?: { admin: string; sync: string } } = {},
): Promise<Harness> {
  const { clock = manualClock(START), data = dataDirectory(), tokens, ...rest } = options
  const errors: unknown[] = []
  const control = await startControlPlane({ data, port: 0, clock, onError: (error) => errors.push(error), ...rest })
  onTestFinished(() => control.close())
  const { admin: adminToken = '', sync: syncToken = '' } = control.firstTokens ?? tokens ?? {}
  // The document is the same for every control plane of this version.
  contract ??= contractOf(control.url)
  const { check } = await contract
  const call: Harness['call'] = async (path, { method = 'GET', body, token = adminToken, headers = {} } = {}) => {
    const isText = typeof body === 'string'
    const response = await fetch(control.url + path, {
      method,
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': isText ? 'text/csv' : 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    const parsed = /json/.test(type) ? JSON.parse(text) : text
    check(method, path, response.status, type, parsed)
    return { status: response.status, headers: response.headers, body: parsed, text }
  }
  return {
    control,
    clock,
    data,
    errors,
    adminToken,
    syncToken,
    call,
    sync: async (request = {}) => {
      const body = { ...aServer('a'), ...request }
      const answer = await call('/v1/sync', { method: 'POST', body, token: syncToken })
      if (answer.status !== 200) throw new Error(answer.text)
      return syncResponseSchema.parse(answer.body)
    },
  }
}

/** The first sync request of a server with this name. */
export function aServer(name: string): SyncRequest {
  return {
    v: 1,
    sdk: 'test/1.0.0',
    instance: `instance-${name}`,
    host: `host-${name}`,
    pid: 1,
    startedAt: START,
    source: 'fallback',
  }
}

/** Posts JSON over a socket of its own, and returns every byte of the answer. */
export async function rawPost(url: string, path: string, token: string, body: string, more = ''): Promise<Buffer> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${more}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const chunks: Buffer[] = []
  for await (const chunk of socket) {
    chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('latin1')
    const [head = '', rest] = text.split('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
    if (rest !== undefined && text.length - head.length - 4 >= length) break
  }
  return Buffer.concat(chunks)
}
