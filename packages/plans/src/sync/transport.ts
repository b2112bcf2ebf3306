import * as http from 'node:http'
import * as https from 'node:https'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { type Clock, type MaybePromise, RailError } from '@rail/core'
import { parseHeaders } from '@rail/core/read'
import { shown } from '@rail/core/store'
import type { Schedule } from '../base/schedule.js'
import { SYNC_PATH } from '../protocol/messages.js'

/** A response: its status, and its body as a string. */
export interface Reply {
  readonly status: number
  readonly text: string
  /** The header Retry-After in milliseconds. */
  readonly retryAfterMs: number | undefined
}

/** The options of {@link Transport}. */
export interface TransportOptions {
  readonly url: URL
  readonly readToken: () => MaybePromise<string>
  readonly timeoutMs: number
  readonly schedule: Schedule
  readonly epochClock: Clock
}

/** A longer reply is not read to its end: 1,000,000 customers are some 30 MB. */
const LARGEST_REPLY = 128 * 1024 * 1024
/** Shorter bodies are not compressed. */
const SMALLEST_COMPRESSED = 1_024

/** Posts to one control plane, over kept connections that do not keep the process alive. */
export class Transport {
  readonly #options: TransportOptions
  readonly #agent: http.Agent
  readonly #target: URL
  #abandon: ((error: Error) => void) | undefined
  /** The token that was last sent; `undefined`: none yet. */
  token: string | undefined

  constructor(options: TransportOptions) {
    this.#options = options
    const { url } = options
    this.#target = new URL(url.pathname.replace(/\/$/, '') + SYNC_PATH, url)
    this.#agent = new (url.protocol === 'https:' ? https : http).Agent({ keepAlive: true, maxSockets: 1 })
  }

  /**
   * Sends one request and reads its whole reply. Redirects are not followed: they would carry the token elsewhere.
   *
   * @throws Error (as a rejection) if no whole reply comes in time
   */
  async post(body: object): Promise<Reply> {
    const plain = Buffer.from(JSON.stringify(body))
    const compressed = plain.length < SMALLEST_COMPRESSED ? undefined : await promisify(gzip)(plain, { level: 1 })
    return this.#send(compressed ?? plain, compressed === undefined ? {} : { 'Content-Encoding': 'gzip' })
  }

  /** Aborts the running request, if there is one. */
  abandon(error: Error): void {
    this.#abandon?.(error)
  }

  close(): void {
    this.#agent.destroy()
  }

  async #send(body: Buffer, encoding: http.OutgoingHttpHeaders): Promise<Reply> {
    const { readToken, timeoutMs, schedule, epochClock } = this.#options
    let request: http.ClientRequest | undefined
    let cancelDeadline = (): void => {}
    const abandoned = new Promise<never>((_, reject) => {
      this.#abandon = reject
      // One deadline for the whole exchange: a server that only accepts, or sends a byte now and then, must not hang it.
      cancelDeadline = schedule(() => reject(new Error(`no whole answer within ${timeoutMs} ms`)), timeoutMs)
    })
    try {
      this.token = await Promise.race([readToken(), abandoned])
      request = this.#start(this.token, body, encoding)
      return await Promise.race([replyTo(request, epochClock), abandoned])
    } catch (error) {
      request?.destroy()
      throw error
    } finally {
      cancelDeadline()
      this.#abandon = undefined
    }
  }

  #start(token: string, body: Buffer, encoding: http.OutgoingHttpHeaders): http.ClientRequest {
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Accept: 'application/json',
      'Accept-Encoding': 'gzip',
      ...encoding,
    }
    const { request: start } = this.#target.protocol === 'https:' ? https : http
    const request = start(this.#target, { method: 'POST', agent: this.#agent, headers })
    request.on('socket', (socket) => socket.unref())
    return request.end(body)
  }
}

function replyTo(request: http.ClientRequest, epochClock: Clock): Promise<Reply> {
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => replyOf(response, epochClock()).then(resolve, reject))
  })
}

async function replyOf(response: http.IncomingMessage, nowMs: number): Promise<Reply> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > LARGEST_REPLY) throw tooLarge()
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const { 'content-encoding': encoding = 'identity' } = response.headers
  const status = response.statusCode ?? 0
  const { retryAfterMs } = parseHeaders(response.headers, nowMs)
  return { status, text: (await decoded(bytes, encoding)).toString('utf8'), retryAfterMs }
}

async function decoded(bytes: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === 'identity' || bytes.length === 0) return bytes
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw new Error(`its answer is encoded as ${encoding}, not as gzip`)
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: LARGEST_REPLY })
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw cause
  }
}

function tooLarge(): Error {
  return new Error(`its answer is larger than ${LARGEST_REPLY} bytes`)
}

/**
 * Checks the URL that a token is sent to. Plain HTTP is for this machine only, unless `allowPlainHttp` is true: anybody on
 * the way could read the token.
 *
 * @throws RailError `RAIL_BAD_OPTION`
 */
export function checkedUrl(given: string | URL, allowPlainHttp: boolean): URL {
  if (!URL.canParse(String(given))) {
    throw new RailError(
      'RAIL_BAD_OPTION',
      `url: expected that of a control plane, got ${shown(given)}. Write it in full: https://rail.internal.`,
    )
  }
  const url = new URL(given)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new RailError(
      'RAIL_BAD_OPTION',
      `url: expected https:// or http://, got ${url.protocol}. Write https:// and the host.`,
    )
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new RailError(
      'RAIL_BAD_OPTION',
      'url: expected no user, query or fragment, got one. Leave it out; the token is an option of its own.',
    )
  }
  const { hostname } = url
  const isHere =
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  if (url.protocol === 'http:' && !isHere && !allowPlainHttp) {
    throw new RailError(
      'RAIL_BAD_OPTION',
      `url: expected https:// for ${hostname}, got http://, which shows the token to the network. Use https, or allowPlainHttp: true in a trusted network.`,
    )
  }
  return url
}
