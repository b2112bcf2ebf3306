import { createGunzip } from 'node:zlib'
import { Problem } from '../base/problem.js'
import type { App } from './route-context.js'

/**
 * Takes gzipped bodies. Fastify counts what comes out of this stream against the body limit, so that a few kilobytes that
 * unpack to gigabytes are refused as soon as the limit is passed.
 */
export function decompressBodies(app: App): void {
  app.addHook('preParsing', async (request, _reply, payload) => {
    const encoding = request.headers['content-encoding']?.toLowerCase()
    if (encoding === undefined || encoding === 'identity') return payload
    if (encoding !== 'gzip' && encoding !== 'x-gzip') {
      throw new Problem('wrong_type', `Content-Encoding is gzip, or left out; got ${encoding}.`)
    }
    const unzipped = Object.assign(createGunzip(), { receivedEncodedLength: 0 })
    payload.on('data', (chunk: Buffer) => {
      unzipped.receivedEncodedLength += chunk.length
    })
    payload.once('error', (error) => unzipped.destroy(error))
    return payload.pipe(unzipped)
  })
}
