import type { MaybePromise, Store } from '@rail/core'
import type { AppUnderTest, MadeLimiter } from './app-under-test.js'
import type { ChunkedReply } from './reply.js'
import { createStage } from './stage.js'

/** An app of the web's kind, with what the runtime gives beside a request. */
export type Fetch = (request: Request, env?: object) => MaybePromise<Response>

/** The apps of all scenarios as one function, for any runtime: see {@link createStage}. */
export function fetchFor<Req, Res, Limiter extends MadeLimiter<Req>, Done>(
  app: AppUnderTest<Req, Res, Limiter, Fetch, Done>,
  makeStore?: () => Store,
): (request: Request, env?: object) => Promise<Response> {
  const stage = createStage(app, makeStore)
  return async (request, env) => {
    const { app, text } = await stage.enter(request.url, request.headers.get('x-scenario') ?? undefined)
    return app === undefined ? new Response(text) : app(request, env)
  }
}

/** The body of a stream, as the web has it. */
export function readableStreamOf({ chunks, open, broken }: ChunkedReply): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      if (broken === true) controller.error(new Error('the stream broke'))
      else if (open !== true) controller.close()
    },
  })
}
