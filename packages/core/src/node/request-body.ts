/** Node's request over HTTP/2. */
interface Http2Request {
  readonly stream?: { readonly endAfterHeaders?: boolean } | undefined
}

/**
 * Whether a request of Node's has a body over HTTP/2, where no header has to announce it. Over HTTP/1.1 it is `false`: there
 * `Content-Length` or `Transfer-Encoding` does.
 *
 * Source: RFC 9113 section 8.1.
 */
export function hasHttp2Body(request: object | undefined): boolean {
  return (request as Http2Request | undefined)?.stream?.endAfterHeaders === false
}
