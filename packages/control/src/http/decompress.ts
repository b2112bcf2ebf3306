import { createGunzip } from 'node:zlib'
import { Problem } from '../base/problem.js'
import type { App } from './route-context.js'

/**
 * Decompresses gzipped bodies. Fastify applies the body limit to the output of this stream, so a few kilobytes that
 * unpack to gigabytes are refused as soon as they pass the limit.
 */
export function decompressBodies(app: App): void {
  app.addHook('preParsing', async (request, _reply, payload) => {
    const encoding = request.headers['content-encoding']?.toLowerCase()
    if (encoding === undefined || encoding === 'identity') return payload
    if (encoding !== 'gzip' && encoding !== 'x-gzip') {
      throw new Problem('wrong_type', `Content-Encoding: expected gzip or no such header, got ${encoding}.`)
    }
    const unzipped = Object.assign(createGunzip(), { receivedEncodedLength: 0 })
    payload.on('data', (chunk: Buffer) => {
      unzipped.receivedEncodedLength += chunk.length
    })
    payload.once('error', (error) => unzipped.destroy(error))
    return payload.pipe(unzipped)
  })
}
