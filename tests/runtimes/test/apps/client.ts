import { type ClientError, createClient } from '@rail/client'

/** An app that calls the server which a request names: posts to it, and then asks what is refused for a month. */
export function createFetch(): (request: Request) => Promise<Response> {
  // In the global scope on Workers, which forbid timers and randomness there.
  const client = createClient({ idempotencyKey: true, backoff: { base: '1ms' }, spread: 0, jitter: 0 })
  return async (request) => {
    const server = new URL(request.url).searchParams.get('server')
    const { status } = await client(`${server}/writes`, { method: 'POST', body: 'text' })
    const limits = client.state()[0]?.limits.map(({ name, remaining }) => [name, remaining])
    const error = await client(`${server}/month`).catch(({ code }: ClientError) => code)
    return Response.json({ status, limits, error })
  }
}
