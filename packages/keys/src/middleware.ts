import type { MaybePromise } from '@rail/core'
import { isPromise } from '@rail/core/adapter'
import type { Checked, KeyRefusal } from './checked.js'

/*
 * The same check in four frameworks. Each is typed by the few members it uses, so that no framework is imported.
 */

type Check<Request> = (request: Request) => MaybePromise<Checked<unknown>>

interface NodeResponse {
  readonly headersSent: boolean
  setHeader(name: string, value: string): unknown
  writeHead(status: number): { end(body?: string): unknown }
}

/** For `app.use()` in Express 4 and 5. */
export function expressMiddleware<Request>(check: Check<Request>) {
  return function checkApiKey(req: Request, res: NodeResponse, next: (error?: unknown) => void): void {
    const answer = ({ refusal }: Checked<unknown>): void => {
      if (refusal === undefined) {
        next()
        return
      }
      try {
        // A timeout may have answered during the look-up.
        if (!res.headersSent) send(refusal, req as { readonly method?: string }, res)
      } catch (error) {
        next(error)
      }
    }
    let checked: ReturnType<typeof check>
    try {
      checked = check(req)
    } catch (error) {
      next(error)
      return
    }
    if (isPromise(checked)) checked.then(answer, next)
    else answer(checked)
  }
}

function send(refusal: KeyRefusal, req: { readonly method?: string }, res: NodeResponse): void {
  for (const [name, value] of headersOf(refusal)) res.setHeader(name, value)
  // A server may forbid a body in the response to HEAD.
  res.writeHead(refusal.status).end(req.method === 'HEAD' ? undefined : refusal.body)
}

interface FastifyReply {
  code(status: number): FastifyReply
  headers(headers: Record<string, string>): FastifyReply
  send(body: Uint8Array): unknown
}

/** For `app.addHook('onRequest', …)` in Fastify 5. */
export function fastifyHook<Request>(check: Check<Request>) {
  return async function checkApiKey(request: Request, reply: FastifyReply): Promise<unknown> {
    const { refusal } = await check(request)
    if (refusal === undefined) return
    // Bytes, because Fastify adds a charset to a string.
    return reply
      .code(refusal.status)
      .headers(Object.fromEntries(headersOf(refusal)))
      .send(new TextEncoder().encode(refusal.body))
  }
}

interface HonoContext {
  body(data: string, status: KeyRefusal['status'], headers: Record<string, string>): Response
}

/** For `app.use()` in Hono 4. */
export function honoMiddleware<Context>(check: Check<Context>) {
  return async function checkApiKey(
    c: Context & HonoContext,
    next: () => Promise<void>,
  ): Promise<Response | undefined> {
    const { refusal } = await check(c)
    // Through the context: a new Response would lack the headers that were set before the check.
    if (refusal !== undefined) return c.body(refusal.body, refusal.status, Object.fromEntries(headersOf(refusal)))
    await next()
    return undefined
  }
}

interface KoaContext {
  status: number
  body: unknown
  set(headers: Record<string, string>): void
}

/** For `app.use()` in Koa 2 and 3. */
export function koaMiddleware<Context>(check: Check<Context>) {
  return async function checkApiKey(ctx: Context & KoaContext, next: () => Promise<unknown>): Promise<unknown> {
    const { refusal } = await check(ctx)
    if (refusal === undefined) return next()
    ctx.status = refusal.status
    ctx.set(Object.fromEntries(headersOf(refusal)))
    ctx.body = refusal.body
    return undefined
  }
}

function headersOf({ headers, type }: KeyRefusal): [string, string][] {
  return [...headers.map(({ name, value }): [string, string] => [name, value]), ['Content-Type', type]]
}
