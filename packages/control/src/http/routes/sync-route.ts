import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { SYNC_PATH, SYNC_PROTOCOL, syncRequestSchema, syncResponseSchema } from '@rail/plans/sync-protocol'
import type { SyncAnswer, SyncDesk } from '../../sync/sync-desk.js'
import type { App } from '../route-context.js'

/** A report of 20,000 customers with long ids is some 2 MB of JSON. */
const LARGEST_REPORT_BYTES = 8 * 1024 * 1024
/** Less than this is not worth compressing. */
const SMALL_BYTES = 1_024

const compress = promisify<Buffer, Buffer>(gzip)
const uncompress = promisify<Buffer, Buffer>(gunzip)

/** Servers send their report here, and get what has changed. */
export function syncRoute(app: App, desk: SyncDesk): void {
  app.post(SYNC_PATH, {
    config: { scope: 'sync' },
    bodyLimit: LARGEST_REPORT_BYTES,
    schema: {
      summary: `Report as a server, and get what has changed (protocol ${SYNC_PROTOCOL})`,
      tags: ['sync'],
      body: syncRequestSchema,
      response: { 200: syncResponseSchema },
    },
    handler: async ({ body, headers }, reply) => {
      const answer = await desk(body)
      const wantsGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(headers['accept-encoding'] ?? '')
      // Not `type()`, which adds a charset: JSON has none, and an unchanged answer must be small.
      reply.header('content-type', 'application/json')
      const { bytes, zipped } = await bodyOf(answer, wantsGzip)
      if (zipped) reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding')
      reply.send(bytes)
    },
  })
}

async function bodyOf(answer: SyncAnswer, wantsGzip: boolean): Promise<{ bytes: Buffer; zipped: boolean }> {
  if ('gzip' in answer) {
    return { bytes: wantsGzip ? answer.gzip : await uncompress(answer.gzip), zipped: wantsGzip }
  }
  const bytes = Buffer.from(answer.text)
  const zipped = wantsGzip && bytes.length > SMALL_BYTES
  return { bytes: zipped ? await compress(bytes) : bytes, zipped }
}
