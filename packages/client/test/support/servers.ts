import { createLimiter, type Limit } from '@rail/core'

/** A server in this process: what it answers to a request at this moment. */
export type Server = () => Response

/** A server limited by Rail. */
export function bucketServer(limits: readonly Limit[], clock: () => number): Server {
  const limiter = createLimiter<object>({ identify: () => 'me', limits, clock })
  return () => {
    const outcome = limiter.take({})
    if ('then' in outcome) throw new Error('the memory store answers at once')
    const headers = outcome.headers.map(({ name, value }): [string, string] => [name, value])
    return new Response(null, { status: outcome.refusal?.status ?? 200, headers })
  }
}

/** A server with a fixed window of `quota` per `windowMs`, which begins with its first request, as express-rate-limit has. */
export function windowServer(quota: number, windowMs: number, clock: () => number): Server {
  let [used, resetAt] = [0, 0]
  return () => {
    const now = clock()
    if (now >= resetAt) [used, resetAt] = [0, now + windowMs]
    used++
    return answerWith(quota, windowMs, quota - used, resetAt - now)
  }
}

/** A server that counts the requests that it allowed within the last `windowMs`, as @upstash/ratelimit and Redis logs do. */
export function logServer(quota: number, windowMs: number, clock: () => number): Server {
  let log: number[] = []
  return () => {
    const now = clock()
    log = log.filter((at) => at > now - windowMs)
    const allowed = log.length < quota
    if (allowed) log.push(now)
    return answerWith(quota, windowMs, allowed ? quota - log.length : -1, (log[0] as number) + windowMs - now)
  }
}

function answerWith(quota: number, windowMs: number, left: number, resetMs: number): Response {
  const headers = new Headers({
    'RateLimit-Policy': `"default";q=${quota};w=${windowMs / 1000}`,
    RateLimit: `"default";r=${Math.max(0, left)};t=${Math.ceil(resetMs / 1000)}`,
  })
  if (left < 0) headers.set('Retry-After', String(Math.ceil(resetMs / 1000)))
  return new Response(null, { status: left < 0 ? 429 : 200, headers })
}
