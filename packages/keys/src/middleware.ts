import type { MaybePromise } from '@rail/core'
import { isPromise } from '@rail/core/adapter'
import type { Checked, KeyRefusal } from './api-keys.js'

/*
 * The same check in four frameworks. Each is typed by the little it needs, so that none of them is imported.
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
      // A timeout in front may have answered while a look-up was waited for.
      if (res.headersSent) return
      for (const [name, value] of fieldsOf(refusal)) res.setHeader(name, value)
      // A server may forbid to write a body where there is none.
      const { method } = req as { readonly method?: string }
      res.writeHead(refusal.status).end(method === 'HEAD' ? undefined : refusal.body)
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

interface FastifyReply {
  code(status: number): FastifyReply
  headers(fields: Record<string, string>): FastifyReply
  send(body: Uint8Array): unknown
}

/** For `app.addHook('onRequest', …)` in Fastify 5. */
export function fastifyHook<Request>(check: Check<Request>) {
  return async function checkApiKey(request: Request, reply: FastifyReply): Promise<unknown> {
    const { refusal } = await check(request)
    if (refusal === undefined) return
    // Bytes, because to text Fastify adds a charset.
    return reply
      .code(refusal.status)
      .headers(Object.fromEntries(fieldsOf(refusal)))
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
    // Through the context: a Response of our own would be without the fields that were set in front of the check.
    if (refusal !== undefined) return c.body(refusal.body, refusal.status, Object.fromEntries(fieldsOf(refusal)))
    await next()
    return undefined
  }
}

interface KoaContext {
  status: number
  body: unknown
  set(fields: Record<string, string>): void
}

/** For `app.use()` in Koa 2 and 3. */
export function koaMiddleware<Context>(check: Check<Context>) {
  return async function checkApiKey(ctx: Context & KoaContext, next: () => Promise<unknown>): Promise<unknown> {
    const { refusal } = await check(ctx)
    if (refusal === undefined) return next()
    ctx.status = refusal.status
    ctx.set(Object.fromEntries(fieldsOf(refusal)))
    ctx.body = refusal.body
    return undefined
  }
}

function fieldsOf({ headers, type }: KeyRefusal): [string, string][] {
  return [...headers.map(({ name, value }): [string, string] => [name, value]), ['Content-Type', type]]
}
