import type { ServerResponse } from 'node:http'
import { addFields, type LimiterOptions, mergeField, perMinute } from '@rail/core'
import { type Req, send } from '../plain-adapter.js'
import { beforeEnd, identifying, limiting, type Mutant, options, sending } from './mutant.js'

/** Sets fields when the response ends, where `passes`. */
function atTheEnd(passes: (res: ServerResponse, body: unknown) => boolean): Pick<Mutant, 'addFields'> {
  return {
    addFields: (res, owner, { headers }) => {
      beforeEnd(res, (body) => {
        if (!res.headersSent && passes(res, body)) addFields(res, owner, headers)
      })
    },
  }
}

const answered = new WeakSet<ServerResponse>()

export const FIELD_MUTANTS: readonly Mutant[] = [
  {
    fault: 'it sends fields with refusals only',
    breaks: ['the fields are on an ordinary answer'],
    ...sending((_field, { refusal }) => (refusal === undefined ? undefined : {})),
  },
  {
    fault: 'it sets fields before the handler runs, and never again',
    breaks: [
      'the fields are there when a handler throws an error',
      'the fields are there when a handler throws a text',
      "the fields are there when the app's own error handler answers",
      'the fields are there when a handler of a nested router throws',
      'fields of another service that a handler passes on stand beside ours',
    ],
    addFields: (res, _owner, { headers }) => {
      for (const field of headers) {
        res.setHeader(field.name, mergeField(res.getHeader(field.name)?.toString(), field))
      }
    },
  },
  {
    fault: 'it limits nothing but routes',
    breaks: ['a path that is not found is counted and has the fields'],
    routesOnly: true,
  },
  {
    fault: 'it adds fields to bodies',
    breaks: [
      'the fields are on a 204',
      'the fields are on a 304',
      'the fields are on a redirect',
      'a HEAD request is counted as its GET and has the fields',
    ],
    ...atTheEnd((res, body) => body !== undefined && res.req.method !== 'HEAD'),
  },
  {
    fault: 'it adds fields at the end',
    breaks: [
      'the fields are on a streamed body, which comes whole',
      'the fields are on a response that goes past the framework',
    ],
    ...atTheEnd(() => true),
  },
  {
    fault: 'it adds fields to what went well',
    breaks: ['a timeout that answers after the limiter has the fields'],
    ...atTheEnd((res) => res.statusCode < 500),
  },
  {
    fault: 'it replaces fields that are there',
    breaks: [
      'fields of another service that a handler passes on stand beside ours',
      'fields that are there before the limiter stand beside ours, and the larger Retry-After wins',
      'two limiters make two lists and one Retry-After',
      'exposed names stand beside those that CORS exposes, on refusals too',
      'of two limiters the tightest is told, all of it: tight-limiter-first',
    ],
    ...sending(() => ({ merge: 'replace' })),
  },
  {
    fault: 'it leaves fields to the first limiter',
    breaks: ['of two limiters the tightest is told, all of it: tight-limiter-last'],
    outcome: (outcome, _req, res) => {
      const headers = answered.has(res) ? [] : outcome.headers
      answered.add(res)
      return { ...outcome, headers }
    },
  },
  {
    fault: 'it tells the first limit where there is room for one',
    breaks: ['styles that tell one limit tell the tightest, and stand beside the default'],
    ...sending(({ merge }, { decision }) =>
      merge === 'tightest' ? { value: String(decision?.limits[0]?.remaining) } : {},
    ),
  },
  {
    fault: 'it knows the default style only',
    breaks: ['draft-7 tells all policies and the tightest limit'],
    ...options(() => ({ headers: undefined })),
  },
  {
    fault: 'it sends names as they are',
    breaks: ['names are escaped as structured fields ask for'],
    ...sending(({ value }) => ({ value: value.replaceAll(/\\(.)/g, '$1') })),
  },
  {
    fault: 'it sends headers that are off',
    breaks: ['headers that are off leave Retry-After on refusals'],
    ...options(() => ({ headers: undefined })),
  },
  {
    fault: 'it counts anonymous requests as one customer',
    breaks: ['an anonymous request has no fields and is not counted'],
    ...identifying((key) => key ?? 'anonymous'),
  },
  {
    fault: 'it has a limit for plans without one',
    breaks: ['a customer whose plan has no limits has no fields and is not counted'],
    ...limiting((limits) => (Array.isArray(limits) && limits.length === 0 ? [perMinute(2)] : limits)),
  },
  {
    fault: 'it skips nobody',
    breaks: ['a skipped request has no fields and is not counted'],
    ...options(() => ({ skip: undefined })),
  },
  {
    fault: 'it refuses in a dry run',
    breaks: ['a dry run counts and tells, but sends no fields and refuses nobody'],
    ...options(() => ({ dryRun: false })),
  },
  {
    fault: 'it skips all OPTIONS requests',
    breaks: ['preflights are not counted where the limiter is told so; other OPTIONS requests are'],
    ...options(() => ({ skip: (req: Req) => req.method === 'OPTIONS' })),
  },
  {
    fault: 'it skips preflights unasked',
    breaks: ["preflights with a customer's key are counted unless told otherwise"],
    ...options(() => ({ skipPreflights: true })),
  },
]

/** Hooks of the user's that a faulty adapter calls itself. */
const hooks = new WeakMap<LimiterOptions<Req>, LimiterOptions<Req>>()

function keeping(...names: (keyof LimiterOptions<Req>)[]): Pick<Mutant, 'options'> {
  return {
    options: (given) => {
      const changed = { ...given, ...Object.fromEntries(names.map((name) => [name, undefined])) } as LimiterOptions<Req>
      hooks.set(changed, given)
      return changed
    },
  }
}

export const REFUSAL_MUTANTS: readonly Mutant[] = [
  {
    fault: 'it adds a charset',
    breaks: ['a refusal is 429 with a JSON body, its exact type, and not to be stored'],
    refuse: (res, outcome) => {
      const refusal = outcome.refusal && { ...outcome.refusal, type: `${outcome.refusal.type}; charset=utf-8` }
      send(res, { ...outcome, refusal })
    },
  },
  {
    fault: 'it asks the handler before it refuses',
    breaks: ['a refused request never reaches the handler'],
    refuse: (res, outcome, _req, next) => {
      next()
      send(res, outcome)
    },
  },
  {
    fault: 'it says nothing to caches',
    breaks: [
      'a refusal is not to be stored, whatever was said before',
      'a refusal is 429 with a JSON body, its exact type, and not to be stored',
    ],
    ...sending(({ name }) => (name === 'Cache-Control' ? undefined : {})),
  },
  {
    fault: 'it answers HEAD with a body',
    breaks: ['a refused HEAD request has the fields and no body'],
    refuse: (res, outcome, req) => {
      if (req.method === 'HEAD') {
        res.writeHead(429, { 'Content-Type': 'application/json' }).flushHeaders()
        req.socket.write(outcome.refusal?.body ?? '')
        res.end()
      } else send(res, outcome)
    },
  },
  {
    fault: 'it ends connections that it refuses',
    breaks: ['a connection goes on after a refused request with a body'],
    refuse: (res, outcome) => {
      res.setHeader('Connection', 'close')
      send(res, outcome)
    },
  },
  {
    fault: 'it tells a wait to who need not wait',
    breaks: ['a cost that can never fit is told no wait, and the owner is told once'],
    outcome: (outcome) =>
      outcome.refusal === undefined || outcome.refusal.retryAfter !== undefined
        ? outcome
        : { ...outcome, headers: [...outcome.headers, { name: 'Retry-After', value: '1', merge: 'larger' }] },
  },
  {
    fault: 'it tells nobody what went wrong',
    breaks: [
      'a cost that can never fit is told no wait, and the owner is told once',
      'two definitions of one name taking turns are told of, once',
      'settling with what is no cost is told of, and changes nothing',
      'an error in onDecision is told of and changes nothing',
    ],
    ...options(() => ({ onError: undefined })),
  },
  {
    fault: 'it has one kind of body',
    breaks: ['a refusal is problem details where told so, with their own type'],
    ...options(() => ({ body: undefined })),
  },
  {
    fault: 'it knows no longest Retry-After',
    breaks: ['a longest Retry-After lowers Retry-After and the body, not t'],
    ...options(() => ({ maxRetryAfter: undefined })),
  },
  {
    fault: 'it knows no jitter',
    breaks: ['jitter lengthens Retry-After and the body alike, and never t'],
    ...options(() => ({ jitter: undefined })),
  },
  {
    fault: 'it does not ask onReject',
    breaks: [/^onReject that gives (json|text|typed|later)/],
    ...options(() => ({ onReject: undefined })),
  },
  {
    fault: 'it sends whatever onReject gives',
    breaks: [/^onReject that gives (throws|rejects|nonsense|wrong-type)/],
    ...keeping('onReject'),
    outcome: (outcome, req, _res, given) => {
      const onReject = hooks.get(given)?.onReject
      if (outcome.refusal === undefined || onReject === undefined) return outcome
      const reply = onReject(outcome.refusal, req) as { text?: string; type?: string } & Promise<unknown>
      if ('then' in Object(reply)) reply.then(undefined, () => {})
      const { type = 'application/json' } = reply
      return { ...outcome, refusal: { ...outcome.refusal, type, body: reply.text ?? JSON.stringify(reply) } }
    },
  },
  {
    fault: 'it fails where the client is gone',
    breaks: ['a client that left while the limiter waited does no harm'],
    outcome: (outcome, req) => {
      if (!req.socket.writable) throw new Error('the client is gone')
      return outcome
    },
  },
  {
    fault: 'it answers what has been answered',
    breaks: ['a refusal that comes after a timeout has answered does no harm'],
    refuse: (res, { refusal }) => {
      res.setHeader('Content-Type', refusal?.type ?? '')
      res.end(refusal?.body)
    },
  },
  {
    fault: 'it lets hooks fail a request',
    breaks: ['an error in onDecision is told of and changes nothing', 'an error in onError reaches no request'],
    ...keeping('onDecision', 'onError'),
    outcome: (outcome, req, _res, given) => {
      const { onDecision, onError } = hooks.get(given) ?? {}
      if (outcome.decision !== undefined) onDecision?.(outcome.decision, req, undefined)
      else onError?.(new Error('the store failed'))
      return outcome
    },
  },
]
