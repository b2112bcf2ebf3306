/** What a request must have to be asked for a header field: any framework's does, and the web's own. */
export type KeyedRequest =
  | { readonly headers: { get(name: string): string | null } }
  | { readonly headers: { readonly [name: string]: string | string[] | undefined } }
  | { readonly req: { readonly raw: { readonly headers: { get(name: string): string | null } } } }

/** A header field by its lower-case name, of a web Request, Hono's context, or anything with Node's headers. */
export function headerOf(request: KeyedRequest, name: string): string | undefined {
  const headers = 'headers' in request ? request.headers : request.req.raw.headers
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  return (headers as { readonly [name: string]: string | string[] | undefined })[name]?.toString()
}
