import type { RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Store } from '@rail/core'
import type { AppUnderTest, MadeLimiter } from '../scenarios/app-under-test.js'
import type { ChunkedReply } from '../scenarios/reply.js'
import { createStage } from '../scenarios/stage.js'

/** The apps of all scenarios as one listener, for {@link listen} or {@link listenHttp2}: see {@link createStage}. */
export function listenerFor<Req, Res, Limiter extends MadeLimiter<Req>, Done>(
  app: AppUnderTest<Req, Res, Limiter, RequestListener, Done>,
  makeStore?: () => Store,
): RequestListener {
  const stage = createStage(app, makeStore)
  return async (req, res) => {
    const { app, text } = await stage.enter(req.url as string, req.headers['x-scenario'] as string)
    if (app === undefined) res.end(text)
    else app(req, res)
  }
}

/** Writes a stream by hand. */
export function writeStream(res: ServerResponse, { chunks, open, broken }: ChunkedReply): void {
  for (const chunk of chunks) res.write(chunk)
  if (broken === true) res.destroy(new Error('the stream broke'))
  else if (open !== true) res.end()
}

/** The body of a stream, as Node has it. */
export function readableOf({ chunks, open, broken }: ChunkedReply): Readable {
  const left = [...chunks]
  return new Readable({
    read() {
      const chunk = left.shift()
      if (chunk !== undefined) this.push(chunk)
      else if (broken === true) this.destroy(new Error('the stream broke'))
      else if (open !== true) this.push(null)
    },
  })
}
