import { unexpected } from '@rail/core/adapter'

/** A request whose headers can be read: a web Request, Hono's context, or anything with Node's headers. */
export type KeyedRequest =
  | { readonly headers: WebHeaders }
  | { readonly headers: NodeHeaders }
  | { readonly req: { readonly raw: { readonly headers: WebHeaders } } }

/**
 * A request as `address` gets it when its parameter has no type of its own. Express, Fastify and Koa set `ip`; for other
 * frameworks, give the parameter the framework's type.
 */
export type AddressedRequest = KeyedRequest & { readonly ip?: string | undefined }

/** The header that contains a key. */
export type KeyHeader = 'authorization' | 'x-api-key'

/**
 * The key of a request: a bearer token (RFC 6750 section 2.1), or the whole of `X-API-Key`. Of several `Authorization` lines
 * the first counts: Node drops the others, and web frameworks join them by commas, which no token contains.
 */
export function keyOf(request: KeyedRequest, header: KeyHeader | undefined): string | undefined {
  const bearer =
    header === 'x-api-key'
      ? undefined
      : /^Bearer +([^\s,]+) *(?:,|$)/i.exec(headerOf(request, 'authorization') ?? '')?.[1]
  return bearer ?? (header === 'authorization' ? undefined : headerOf(request, 'x-api-key') || undefined)
}

/** The value of a header, by its lower-case name. @throws RailError `RAIL_BAD_OPTION` for anything but a request */
export function headerOf(request: KeyedRequest, name: string): string | undefined {
  const { headers, req } = (request ?? {}) as Loose
  const fields = headers ?? req?.raw?.headers
  if (typeof fields !== 'object' || fields === null)
    throw unexpected('RAIL_BAD_OPTION', 'keys.check()', 'a request with headers', request)
  if (typeof fields.get === 'function') return fields.get(name) ?? undefined
  return (fields as NodeHeaders)[name]?.toString()
}

type WebHeaders = { get(name: string): string | null }
type NodeHeaders = { readonly [name: string]: string | string[] | undefined }

/** What a request may turn out to be without types. */
interface Loose {
  readonly headers?: WebHeaders | NodeHeaders | null
  readonly req?: { readonly raw?: { readonly headers?: WebHeaders } }
}
