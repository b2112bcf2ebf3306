import { RailError } from './errors.js'
import type { LimiterOptions, RequestReader } from './limiter-options.js'

/**
 * What a limiter skips: what its option `skip` says, and CORS preflights where it is told so.
 *
 * @throws RailError `RAIL_BAD_OPTION` where preflights cannot be told apart for want of a reader of requests
 */
export function skipOf<Request>(
  { skip, skipPreflights }: LimiterOptions<Request>,
  reader: RequestReader<Request> | undefined,
): LimiterOptions<Request>['skip'] {
  if (skipPreflights !== true) return skip
  if (reader === undefined) {
    throw new RailError(
      'RAIL_BAD_OPTION',
      'skipPreflights needs a way to read requests. Give createLimiter one as its second argument, { method, header }.',
    )
  }
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
