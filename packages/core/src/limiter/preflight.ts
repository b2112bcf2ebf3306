import { checkGiven } from '../base/check.js'
import type { LimiterOptions, RequestReader } from './options.js'

/**
 * What a limiter skips: what its option `skip` says, and CORS preflights where it is told so.
 *
 * @throws RailError `RAIL_BAD_OPTION` where preflights cannot be told apart for want of a reader of requests, and for what is none
 */
export function skipOf<Request>(
  { skip, skipPreflights }: LimiterOptions<Request>,
  reader: RequestReader<Request> | undefined,
): LimiterOptions<Request>['skip'] {
  if (skipPreflights !== true && reader === undefined) return skip
  const isReader = typeof reader?.method === 'function' && typeof reader.header === 'function'
  checkGiven(
    isReader,
    reader,
    "createLimiter's second argument is { method, header }, for skipPreflights",
    'Give both.',
  )
  if (skipPreflights !== true || reader === undefined) return skip
  // Fetch standard, CORS-preflight request: OPTIONS with two fields, and without credentials. With any it is no browser's.
  const has = (request: Request, name: string): boolean => reader.header(request, name) !== undefined
  const isPreflight = (request: Request): boolean =>
    reader.method(request) === 'OPTIONS' &&
    has(request, 'origin') &&
    has(request, 'access-control-request-method') &&
    !has(request, 'authorization') &&
    !has(request, 'cookie')
  return (request) => isPreflight(request) || (skip?.(request) ?? false)
}
