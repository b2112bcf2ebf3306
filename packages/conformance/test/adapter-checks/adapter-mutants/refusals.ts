import type { LimiterOptions } from '@rail/core'
import { type Req, send } from '../plain-adapter.js'
import { type Mutant, options, sending } from './mutant.js'

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
    breaks: ['a refusal is 429 with a JSON body, exactly its type, and not to be stored'],
    refuse: (res, outcome) => {
      const refusal = outcome.refusal && { ...outcome.refusal, type: `${outcome.refusal.type}; charset=utf-8` }
      send(res, { ...outcome, refusal })
    },
  },
  {
    fault: 'it calls the handler before it refuses',
    breaks: ['a refused request never reaches the handler'],
    refuse: (res, outcome, _req, next) => {
      next()
      send(res, outcome)
    },
  },
  {
    fault: 'it sends no Cache-Control',
    breaks: [
      'a refusal is not to be stored, whatever Cache-Control was set before',
      'a refusal is 429 with a JSON body, exactly its type, and not to be stored',
    ],
    ...sending(({ name }) => (name === 'Cache-Control' ? undefined : {})),
  },
  {
    fault: 'it answers HEAD with a body',
    breaks: ['a refused HEAD request has the headers and no body'],
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
    fault: 'it sends a wait to a client that need not wait',
    breaks: ['a cost that can never fit is 422 without a wait, and is reported once'],
    outcome: (outcome) =>
      outcome.refusal === undefined || outcome.refusal.retryAfter !== undefined
        ? outcome
        : { ...outcome, headers: [...outcome.headers, { name: 'Retry-After', value: '1', merge: 'larger' }] },
  },
  {
    fault: 'it reports no errors',
    breaks: [
      'a cost that can never fit is 422 without a wait, and is reported once',
      'settling with a value that is no cost is reported, and changes nothing',
      'an error in onDecision is reported and changes nothing',
    ],
    ...options(() => ({ onError: undefined })),
  },
  {
    fault: 'it has one kind of body',
    breaks: [
      'a refusal with problem() is problem details, with their own type',
      /^onReject that gives (json|text|typed|later|unknown-member)/,
    ],
    ...options(() => ({ onReject: undefined })),
  },
  {
    fault: 'it has no jitter',
    breaks: ['jitter lengthens Retry-After and the body alike, and never t'],
    ...options(() => ({ jitter: undefined })),
  },
  {
    fault: 'it sends whatever onReject gives',
    breaks: [/^onReject that gives (throws|rejects|nonsense|wrong-type)/],
    ...keeping('onReject'),
    outcome: (outcome, req, _res, given) => {
      const onReject = hooks.get(given)?.onReject
      if (outcome.refusal === undefined || onReject === undefined) return outcome
      const reply = onReject(outcome.refusal, req, () => {}) as { text?: string; type?: string } & Promise<unknown>
      if ('then' in Object(reply)) reply.then(undefined, () => {})
      const { type = 'application/json' } = reply
      return { ...outcome, refusal: { ...outcome.refusal, type, body: reply.text ?? JSON.stringify(reply) } }
    },
  },
  {
    fault: 'it hands errors of onReject to the error handler',
    breaks: [/^onReject that gives (throws|rejects)/],
    outcome: (outcome, req) => {
      if (outcome.refusal !== undefined && /throws|rejects/.test(String(req.headers['x-reply'])))
        throw new Error('no words')
      return outcome
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
    fault: 'an error in a hook fails its request',
    breaks: ['an error in onDecision is reported and changes nothing', 'an error in onError reaches no request'],
    ...keeping('onDecision', 'onError'),
    outcome: (outcome, req, _res, given) => {
      const { onDecision, onError } = hooks.get(given) ?? {}
      if (outcome.decision !== undefined) onDecision?.(outcome.decision, req, undefined)
      else onError?.(new Error('the store failed'))
      return outcome
    },
  },
]
