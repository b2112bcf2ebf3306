import { type MaybePromise, RailError } from '@rail/core'
import { attempt, chain, throwError, unexpected } from '@rail/core/adapter'
import { type Checked, tooManyFailures, unauthorized } from './checked.js'
import { FailedChecks } from './failed-checks.js'
import { type Found, findBy, findIn } from './find.js'
import { Identities } from './identities.js'
import type { KeyIdentity } from './identity.js'
import { hashKey } from './key.js'
import { expressMiddleware, fastifyHook, honoMiddleware, koaMiddleware } from './middleware.js'
import { type ApiKeysOptions, checkedOptions } from './options.js'
import { isOfProxy, proxyAddress } from './proxy-address.js'
import { type AddressedRequest, headerOf, type KeyedRequest, keyOf } from './request.js'

/** Checks API keys, in any framework. */
export interface ApiKeys<Identity, Request extends KeyedRequest> {
  /**
   * Checks a request's key. Nothing is stored for an unknown key: it makes no bucket, and is looked up each time.
   *
   * @throws RailError (or rejects with it) `RAIL_BAD_ADDRESS` where `address` returns neither a non-empty string nor `null`,
   * `RAIL_BAD_IDENTITY` where `lookup` returns neither one identity nor `null`, `RAIL_BAD_OPTION` for anything but a request.
   * `RAIL_LOOKUP_LATE` where `lookup` takes longer than 10 seconds. Errors of `address` and `lookup` are thrown as they are;
   * a thrown value that is not an object becomes the cause of a `RAIL_NOT_AN_ERROR`
   */
  check(request: Request): MaybePromise<Checked<Identity>>
  /**
   * The identity that a request's key belongs to, after a middleware or {@link check} has allowed the request. Made for
   * `identify`.
   *
   * @throws RailError `RAIL_NO_IDENTITY` for any other request, for instance when the limiter is mounted before the keys
   */
  of(request: object): Identity
  readonly express: ReturnType<typeof expressMiddleware<Request>>
  readonly fastify: ReturnType<typeof fastifyHook<Request>>
  readonly hono: ReturnType<typeof honoMiddleware<Request>>
  readonly koa: ReturnType<typeof koaMiddleware<Request>>
}

/**
 * Checks API keys before a limiter. Only hashes of keys are stored. An unknown key is answered 401 with `WWW-Authenticate`
 * (RFC 9110 section 11.6.1). An address that has used up its failed checks is answered 429 for each unknown key. With
 * `lookup`, that is *before* a look-up, except for keys that were found lately: 40,000 hashes are kept.
 *
 * @example
 * const keys = apiKeys({ keys: { [hashKey('key_demo')]: { id: 'acme' } }, address: (req) => addressKey(req.ip) })
 * app.use(keys.express, rateLimit({ identify: (req) => keys.of(req).id, limits: [perSecond(10)] }))
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION`, … for wrong options
 */
export function apiKeys<const Identity extends KeyIdentity, Request extends KeyedRequest = AddressedRequest>(
  options: ApiKeysOptions<Identity, Request>,
): ApiKeys<Identity, Request> {
  const { source, address, header, failures, onError, now } = checkedOptions(options)
  const failed = new FailedChecks(failures, now)
  const find = 'known' in source ? findIn(source.known, failed) : findBy(source.lookup, source.whenBlocked, failed)
  const identities = new Identities<Identity>()
  let warnsOfProxy = true

  function check(request: Request): MaybePromise<Checked<Identity>> {
    return attempt(
      () => checkedOf(request),
      (checked) => checked,
      throwError,
    )
  }

  function checkedOf(request: Request): MaybePromise<Checked<Identity>> {
    const key = keyOf(request, header)
    if (key === undefined) return { refusal: unauthorized(header, false) }
    return chain(find(hashKey(key), addressOf(request)), (found) => answer(request, found))
  }

  function addressOf(request: Request): string | null {
    const from: unknown = address(request)
    if (from === null) return null
    if (typeof from !== 'string' || from === '') throw notAnAddress(from)
    if (warnsOfProxy && isOfProxy(from, headerOf(request, 'x-forwarded-for'))) {
      warnsOfProxy = false
      attempt(() => onError(proxyAddress(from)), ignore, ignore)
    }
    return from
  }

  function answer(request: Request, { identity, blocked }: Found<Identity>): Checked<Identity> {
    if (identity === undefined) {
      return { refusal: blocked === undefined ? unauthorized(header, true) : tooManyFailures(blocked) }
    }
    identities.set(request, identity)
    return { identity }
  }

  return {
    check,
    of(request) {
      const identity = identities.get(request)
      if (identity !== undefined) return identity
      throw new RailError(
        'RAIL_NO_IDENTITY',
        "keys.of(): this request's API key was not checked, or its res.locals or ctx.state was replaced. Mount keys.express (or fastify, hono, koa) right before the limiter.",
      )
    },
    express: expressMiddleware(check),
    fastify: fastifyHook(check),
    hono: honoMiddleware(check),
    koa: koaMiddleware(check),
  }
}

function notAnAddress(from: unknown): RailError {
  const toDo = 'Return addressKey(request.ip), or null to count no failures.'
  return unexpected('RAIL_BAD_ADDRESS', 'address()', 'a non-empty string or null', from, toDo)
}

function ignore(): void {}
