import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

/** A proxy between servers and their control plane. */
export interface Proxy {
  readonly url: string
  /** The length of each answer's body as it was sent on, in bytes, with the answer itself. */
  readonly sent: { readonly bytes: number; readonly text: string }[]
}

/** What a proxy does to an answer before it sends it on; `'lose'` ends the connection instead. */
export type Treatment = (number: number) => 'gzip' | 'lose' | undefined

/**
 * Starts a proxy that asks in plain text, strips ETags, and may compress answers or lose them: the request has arrived by
 * then, which only the sender does not know.
 */
export async function startProxy(target: () => string, treat: Treatment): Promise<Proxy> {
  const sent: Proxy['sent'] = []
  let number = 0
  const server = createServer((req, res) => {
    const { 'accept-encoding': _, ...headers } = req.headers
    const onward = forward(target() + req.url, { method: req.method, headers }, (answer) => {
      void reply(answer, res, treat(number++), sent)
    })
    onward.on('error', () => res.destroy())
    req.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent }
}

async function reply(
  answer: IncomingMessage,
  res: ServerResponse,
  treatment: ReturnType<Treatment>,
  sent: Proxy['sent'],
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  if (treatment === 'lose') {
    res.destroy()
    return
  }
  const text = Buffer.concat(chunks).toString()
  const body = treatment === 'gzip' ? gzipSync(text) : Buffer.from(text)
  sent.push({ bytes: body.length, text })
  const { etag, 'content-length': _length, ...headers } = answer.headers
  res.writeHead(answer.statusCode ?? 502, {
    ...headers,
    ...(treatment === 'gzip' && { 'content-encoding': 'gzip' }),
    'content-length': body.length,
  })
  res.end(body)
}
