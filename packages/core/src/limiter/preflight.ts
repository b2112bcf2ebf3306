/** Reads what a preflight is recognised by. */
export interface PreflightReader {
  readonly method: string
  /** Reads a header by its lower-case name. */
  readonly header: (name: string) => unknown
}

/**
 * Whether a request is a CORS preflight: OPTIONS with `Origin` and `Access-Control-Request-Method` and without credentials.
 * A browser sends none with a preflight, so a request with `Authorization` or `Cookie` is counted.
 *
 * Source: Fetch standard, CORS-preflight request.
 */
export function isPreflight({ method, header }: PreflightReader): boolean {
  return (
    method === 'OPTIONS' &&
    header('origin') !== undefined &&
    header('access-control-request-method') !== undefined &&
    header('authorization') === undefined &&
    header('cookie') === undefined
  )
}
