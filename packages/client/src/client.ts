import { RailError } from '@rail/core'
import { shown } from '@rail/core/adapter'
import { parseHeaders } from '@rail/core/read'
import { backoff } from './backoff.js'
import { type Input, type Outgoing, outgoing, textFrom } from './call.js'
import { ClientError, type ClientErrorCode, quotaUsed, waitTooLong } from './client-error.js'
import { type ClientOptions, type Fetch, type Settings, settingsOf } from './client-options.js'
import { type GiveUpReason, tell } from './hooks.js'
import { quotaTypeOf } from './quota-problem.js'
import { RetryBudget } from './retry-budget.js'
import { barrierTo, isFinal, isMistake, type Result, reasonToStop } from './retry-policy.js'
import type { ScopeState } from './scope.js'
import { Scopes } from './scopes.js'
import { sleep } from './timer.js'

/** A `fetch` that keeps to rate limits, and tells what it knows of them. */
export interface Client extends Fetch {
  /** What it knows of each scope it has met, the most recently used last. For people and tests. */
  state(): readonly ScopeState[]
}

/**
 * A `fetch` for callers of a rate limited API: it stays under the limits that responses tell, waits as long as it is told
 * after a refusal, and tries again only what is safe to repeat.
 *
 * It answers and throws what `fetch` would. Beyond that it throws a {@link ClientError} where only waiting would help and
 * the wait is longer than `maxWait`, a quota is used up, or too many calls wait.
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
    // What is no URL is for fetch itself to refuse; nothing is limited there.
    const scope = settings.scope ? textFrom('scope', settings.scope(out.call)) : originOf(out.call.url)
    if (scope === undefined) return settings.fetch(input, init)
    budget.earn()
    try {
      return await attempts(out, scope, places++)
    } catch (error) {
      if (error instanceof ClientError) giveUp(out, scope, REASONS[error.code], { error })
      throw error
    }
  }

  /** Tries until there is something to return or to throw. */
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
      if (response !== undefined) await checkWait(response, out, scope.toldMs(), settings)
      refusal = response
      void discard(response)
      const waitMs = isCooling ? scope.waitMs() : backoff(retry - 1, settings.backoff)
      tell(settings.onRetry, { call, scope: name, retry, response, error, waitMs })
      if (!isCooling) await sleep(settings.timer, waitMs, signal)
    }
  }

  function giveUp({ call }: Outgoing, scope: string, reason: GiveUpReason, { response, error }: Partial<Result>): void {
    const last = error instanceof ClientError ? error.response : response
    tell(settings.onGiveUp, { call, scope, reason, response: last, error })
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
    throw new RailError(
      'RAIL_BAD_OPTION',
      `The option fetch returns a Response; it returned ${shown(response)}. Return what the global fetch does.`,
    )
  } catch (error) {
    return { response: undefined, error }
  }
}

/** A stand-in of a test may lack the rest. */
function isResponse(value: unknown): value is Response {
  const { headers } = Object(value) as Partial<Response>
  return typeof headers === 'object' && headers !== null
}

function outcomeOf({ response, error }: Result): Response {
  if (response === undefined) throw error
  return response
}

/** Stops where waiting is not for a client. @throws ClientError `RAIL_QUOTA_USED`, `RAIL_WAIT_TOO_LONG` */
async function checkWait(response: Response, { call }: Outgoing, toldMs: number, settings: Settings): Promise<void> {
  const { quotaTypes, maxWaitMs, timer, dateIn } = settings
  const details = toldMs > 0 ? { response, waitMs: toldMs, retryAt: dateIn(toldMs) } : { response }
  const quota = await quotaTypeOf(response, quotaTypes, timer)
  if (quota !== undefined) throw quotaUsed(call, quota, details)
  if (toldMs > maxWaitMs) throw waitTooLong(call, maxWaitMs, details)
}

/** The connection is free for others once the body is not waited for. */
async function discard(response: Response | undefined): Promise<void> {
  try {
    await response?.body?.cancel()
  } catch {
    // A body that is broken, or of another kind (older libraries have Node's streams), is not waited for either.
  }
}

function originOf(url: string): string | undefined {
  try {
    return new URL(url).origin
  } catch {
    return undefined
  }
}
