import { unexpected } from '@rail/core/adapter'
import { parseHeaders } from '@rail/core/read'
import { backoff } from './backoff.js'
import { type Input, type Outgoing, outgoing, stringFrom } from './call.js'
import { ClientError, type ClientErrorCode, quotaUsed, waitTooLong } from './client-error.js'
import { type ClientOptions, type Fetch, type Settings, settingsOf } from './client-options.js'
import { callHook, type GiveUpReason } from './hooks.js'
import { quotaTypeOf } from './quota-problem.js'
import { RetryBudget } from './retry-budget.js'
import { barrierTo, isFinal, isMistake, type Result, reasonToStop } from './retry-policy.js'
import type { ScopeState } from './scope.js'
import { Scopes } from './scopes.js'
import { sleep } from './timer.js'

/** A `fetch` that stays under rate limits. */
export interface Client extends Fetch {
  /** The state of each scope, the most recently used last. For people and tests. */
  state(): readonly ScopeState[]
}

/**
 * A `fetch` for callers of a rate limited API. It stays under the limits in responses, waits for `Retry-After` after a
 * refusal, and repeats only requests that are safe to repeat.
 *
 * It returns and throws what `fetch` would. In addition it throws a {@link ClientError} if a wait is longer than `maxWait`, a
 * quota is used up, or too many calls wait.
 *
 * @example
 * const client = createClient({ maxWait: '1m', idempotencyKey: true })
 * const response = await client('https://api.example/v1/links', { method: 'POST', body: '{}' })
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION` or `RAIL_BAD_DURATION` for wrong options
 */
export function createClient(options: ClientOptions = {}): Client {
  const settings = settingsOf(options)
  const scopes = new Scopes(settings)
  const budget = new RetryBudget(settings.retryBudget, settings.retryReserve)
  let places = 0

  async function fetchWithRateLimit(input: Input, init?: RequestInit): Promise<Response> {
    const out = outgoing(input, init, settings.idempotencyKey)
    // Fetch itself refuses an invalid URL.
    const scope = settings.scope ? stringFrom('scope', settings.scope(out.call)) : originOf(out.call.url)
    if (scope === undefined) return settings.fetch(input, init)
    budget.earn()
    try {
      return await attempts(out, scope, places++)
    } catch (error) {
      if (error instanceof ClientError) giveUp(out, scope, REASONS[error.code], { error })
      throw error
    }
  }

  /** Sends the request until there is a response to return, or an error to throw. */
  async function attempts(out: Outgoing, name: string, place: number): Promise<Response> {
    const { call, signal } = out
    const scope = scopes.of(name)
    const barrier = barrierTo(out, settings)
    let refusal: Response | undefined
    for (let retry = 1; ; retry++) {
      const flight = await scope.turn({ place, call, signal, refusal }, retry > 1)
      const again = barrier === undefined && retry <= settings.retries
      const result = await resultOf(out, again, settings)
      const { response, error } = result
      let isCooling = false
      if (response === undefined) scope.failed(flight)
      else isCooling = scope.answered(flight, response.status, parseHeaders(response.headers, settings.epoch()))
      if (signal?.aborted === true || isFinal(result)) return outcomeOf(result)
      if (again && isMistake(out, result)) return outcomeOf(result)

      const reason = reasonToStop(result, retry, barrier, settings, budget)
      if (reason !== undefined) {
        giveUp(out, name, reason, result)
        return outcomeOf(result)
      }
      if (response !== undefined) await checkWait(response, out, scope.requiredMs(), settings)
      refusal = response
      void discard(response)
      const waitMs = isCooling ? scope.waitMs() : backoff(retry - 1, settings.backoff)
      callHook(settings.onRetry, { call, scope: name, retry, response, error, waitMs })
      if (!isCooling) await sleep(settings.timer, waitMs, signal)
    }
  }

  function giveUp({ call }: Outgoing, scope: string, reason: GiveUpReason, { response, error }: Partial<Result>): void {
    const last = error instanceof ClientError ? error.response : response
    callHook(settings.onGiveUp, { call, scope, reason, response: last, error })
  }

  return Object.assign(fetchWithRateLimit, {
    state: () => scopes.all().map((scope) => scope.state()),
  })
}

/**
 * A client around this `fetch`: {@link createClient} with the option `fetch`.
 *
 * @throws RailError as {@link createClient}
 */
export function withRateLimit(fetch: Fetch, options: Omit<ClientOptions, 'fetch'> = {}): Client {
  return createClient({ ...options, fetch })
}

const REASONS: Readonly<Record<ClientErrorCode, GiveUpReason>> = {
  RAIL_WAIT_TOO_LONG: 'wait',
  RAIL_QUOTA_USED: 'quota',
  RAIL_QUEUE_FULL: 'queue',
}

async function resultOf(out: Outgoing, again: boolean, { fetch }: Settings): Promise<Result> {
  try {
    const response: unknown = await fetch(...out.args(again))
    if (isResponse(response)) return { response, error: undefined }
    throw unexpected('RAIL_BAD_OPTION', 'fetch()', 'a Response', response, 'Return what the global fetch does.')
  } catch (error) {
    return { response: undefined, error }
  }
}

/** Headers are enough: a response of a test may lack the rest. */
function isResponse(value: unknown): value is Response {
  const { headers } = Object(value) as Partial<Response>
  return typeof headers === 'object' && headers !== null
}

function outcomeOf({ response, error }: Result): Response {
  if (response === undefined) throw error
  return response
}

/** Stops if a wait is too long, or a quota is used up. @throws ClientError `RAIL_QUOTA_USED`, `RAIL_WAIT_TOO_LONG` */
async function checkWait(
  response: Response,
  { call }: Outgoing,
  requiredMs: number,
  settings: Settings,
): Promise<void> {
  const { quotaTypes, maxWaitMs, timer, dateIn } = settings
  const details = requiredMs > 0 ? { response, waitMs: requiredMs, retryAt: dateIn(requiredMs) } : { response }
  const quota = await quotaTypeOf(response, quotaTypes, timer)
  if (quota !== undefined) throw quotaUsed(call, quota, details)
  if (requiredMs > maxWaitMs) throw waitTooLong(call, maxWaitMs, details)
}

/** Frees the connection of a response whose body is not read. */
async function discard(response: Response | undefined): Promise<void> {
  try {
    await response?.body?.cancel()
  } catch {
    // The body is broken, or of another kind: older libraries have Node's streams.
  }
}

function originOf(url: string): string | undefined {
  try {
    return new URL(url).origin
  } catch {
    return undefined
  }
}
