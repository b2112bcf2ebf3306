import { checkOption, checkOptionNames } from '../base/check.js'

/** Reads what a preflight is recognised by. */
export interface PreflightReader {
  readonly method: string
  /** The request's URL, or its path, with the query. */
  readonly url: string
  /** Reads a header by its lower-case name. */
  readonly header: (name: string) => unknown
  /** Whether there is a body, where the framework knows it: over HTTP/2 no header has to announce one. @default false */
  readonly hasBody?: boolean | undefined
}

/** Credentials of an API's own, which no preflight has. */
export interface PreflightCredentials {
  /** The names of headers, in any case. @default [] */
  readonly headers?: readonly string[] | undefined
  /** The names of parameters of the query. @default [] */
  readonly query?: readonly string[] | undefined
}

/** For the option `skip`: whether a request is a CORS preflight. Called with names of credentials it returns such a function. */
export interface Preflights<Request> {
  (request: Request): boolean
  (credentials: PreflightCredentials): (request: Request) => boolean
}

/**
 * The function `preflights` of an adapter. A preflight is what a browser sends before a request of another origin: OPTIONS
 * with `Origin` and `Access-Control-Request-Method`, without a body and without `Authorization`, `Cookie` or `X-API-Key`.
 *
 * Source: Fetch standard, CORS-preflight request.
 */
export function preflightsBy<Request>(readerOf: (request: Request) => PreflightReader): Preflights<Request> {
  function preflights(request: Request): boolean
  function preflights(credentials: PreflightCredentials): (request: Request) => boolean
  function preflights(given: Request | PreflightCredentials): boolean | ((request: Request) => boolean) {
    if (!isCredentials(given)) return isPreflight(readerOf(given as Request), [], [])
    checkOptionNames(given, ['headers', 'query'], 'preflights()')
    const { headers = [], query = [] } = given
    checkOption('headers', headers, NAMES, areNames)
    checkOption('query', query, NAMES, areNames)
    const ownHeaders = headers.map((name) => name.toLowerCase())
    const ownQuery = [...query]
    return (request) => isPreflight(readerOf(request), ownHeaders, ownQuery)
  }
  return preflights
}

/** Whether this is no framework's request, nor a mock of one, which has a method, or a request that has one. */
function isCredentials(given: unknown): given is PreflightCredentials {
  if (typeof given !== 'object' || given === null) return true
  return Object.getPrototypeOf(given) === Object.prototype && !('method' in given || 'req' in given)
}

function isPreflight(
  { method, url, header, hasBody = false }: PreflightReader,
  headers: readonly string[],
  query: readonly string[],
): boolean {
  const has = (name: string): boolean => header(name) !== undefined
  return (
    method === 'OPTIONS' &&
    has('origin') &&
    has('access-control-request-method') &&
    !NEVER_SENT.some(has) &&
    !hasBody &&
    (header('content-length') ?? '0') === '0' &&
    !headers.some(has) &&
    (query.length === 0 || !parametersOf(url).some((name) => query.includes(name)))
  )
}

/** What a browser never sends with a preflight: credentials, and a body. */
const NEVER_SENT = ['authorization', 'cookie', 'x-api-key', 'transfer-encoding', 'content-type']

const NAMES = 'an array of names'
const areNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '')

/** The names of the parameters of a URL's query, decoded: `key` of `key[0]=1` too, which is how Express reads it. */
function parametersOf(url: string): string[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? ''
  return query.split('&').map((pair) => {
    const name = (pair.split('=')[0] as string).replaceAll('+', ' ')
    return decoded(name).split('[')[0] as string
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
