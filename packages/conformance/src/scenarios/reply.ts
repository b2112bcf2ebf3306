import type { Outcome } from '@rail/core'

/**
 * What a handler of the app under test does.
 *
 * - `answer`, `redirect`, `stream`, `raw`: that, in its framework's own way, see {@link AppUnderTest}
 * - `throw`: `value` is thrown in the handler, at once
 * - `hang`: never answers
 */
export type Reply =
  | ({ readonly does: 'answer' | 'raw' } & Answer)
  | { readonly does: 'redirect'; readonly to: string }
  | ({ readonly does: 'stream' } & ChunkedReply)
  | { readonly does: 'throw'; readonly value: unknown }
  | { readonly does: 'hang' }

/** A status, headers and a string as body; no body where it is `undefined`. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Chunks of a body, to be sent one by one; without an end where `open`, with an error in place of it where `broken`. */
export interface ChunkedReply {
  readonly chunks: readonly string[]
  readonly open?: boolean
  readonly broken?: boolean
}

/** An answer, by default 200 and a string. */
export function answer(body: string | undefined, status = 200, headers = {}): Reply & Answer {
  return { does: 'answer', status, headers, body }
}

/** Makes a handler's reply from the outcomes that it sees. */
export type Handle = (rail: Outcome | undefined, of: readonly (Outcome | undefined)[]) => Reply

/** The replies of every app under test, by method and path. A path that is not here is not found. */
export const replies: Readonly<Record<string, Handle>> = {
  'GET /': () => answer('ok'),
  'POST /': () => answer('ok'),
  'GET /rail': (rail, of) => answer(JSON.stringify({ rail: seenOf(rail), of: of.map(seenOf) })),
  'GET /error': () => ({ does: 'throw', value: new Error('the handler failed') }),
  'GET /string-error': () => ({ does: 'throw', value: 'the handler failed' }),
  'GET /no-content': () => answer(undefined, 204),
  'GET /not-modified': () => answer(undefined, 304, { ETag: '"1"' }),
  'GET /redirect': () => ({ does: 'redirect', to: '/elsewhere' }),
  'GET /stream': () => ({ does: 'stream', chunks: ['one ', 'two ', 'three'] }),
  'GET /open-stream': () => ({ does: 'stream', chunks: ['one '], open: true }),
  'GET /broken-stream': () => ({ does: 'stream', chunks: ['one '], broken: true }),
  'GET /raw': () => ({ ...answer('raw', 202, { 'X-Raw': 'yes' }), does: 'raw' }),
  'GET /own-fields': () => answer('proxied', 200, UPSTREAM),
  'GET /raw-own-fields': () => ({ ...answer('proxied', 200, UPSTREAM), does: 'raw' }),
  'GET /settled/0': settled(0),
  'GET /settled/3': settled(3),
  'GET /settled/9': settled(9),
  'GET /settled/raw': settled(3, { ...answer('raw', 202), does: 'raw' }),
  'GET /settled/error': settled(3, { does: 'throw', value: new Error('the handler failed') }),
  'GET /hang': () => ({ does: 'hang' }),
  'GET /nested/': () => answer('ok'),
  'GET /nested/error': () => ({ does: 'throw', value: new Error('the handler failed') }),
}

/** Corrects the cost, then replies. */
function settled(cost: number, reply: Reply = answer('ok')): Handle {
  return (rail) => {
    rail?.settle(cost)
    return reply
  }
}

/** The headers of another service that a handler passes on. */
const UPSTREAM = { 'RateLimit-Policy': '"upstream";q=5;w=5', RateLimit: '"upstream";r=4;t=1' }

/** An outcome as the suite reads it. */
function seenOf(outcome: Outcome | undefined): { allowed: boolean; remaining: number[] } | undefined {
  const decision = outcome?.decision
  return decision && { allowed: decision.allowed, remaining: decision.limits.map((status) => status.remaining) }
}
