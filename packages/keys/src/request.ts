/** A request whose headers can be read: a web Request, Hono's context, or anything with Node's headers. */
export type KeyedRequest =
  | { readonly headers: { get(name: string): string | null } }
  | { readonly headers: { readonly [name: string]: string | string[] | undefined } }
  | { readonly req: { readonly raw: { readonly headers: { get(name: string): string | null } } } }

/**
 * A request as `address` gets it when its parameter has no type of its own. Express, Fastify and Koa set `ip`; for other
 * frameworks, give the parameter the framework's type.
 */
export type AddressedRequest = KeyedRequest & { readonly ip?: string | undefined }

/** The value of a header, by its lower-case name. */
export function headerOf(request: KeyedRequest, name: string): string | undefined {
  const headers = 'headers' in request ? request.headers : request.req.raw.headers
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  return (headers as { readonly [name: string]: string | string[] | undefined })[name]?.toString()
}
