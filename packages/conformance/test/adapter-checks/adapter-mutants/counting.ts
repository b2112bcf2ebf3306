import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Charge, type Decision, type Limiter, MemoryStore, type PlainCharging } from '@rail/core'
import { bag, type Req } from '../plain-adapter.js'
import {
  identifying,
  limiting,
  type Mutant,
  mapped,
  options,
  routing,
  sending,
  storing,
  taking,
  UNCOUNTED,
} from './mutant.js'

/** Peeks, and takes in a later turn: requests in between see the same room. */
class PeeksFirst extends MemoryStore {
  override take(charges: readonly Charge[], now: number): never {
    const peeked = super.peek(charges, now)
    return nextTurn().then((): Decision => {
      super.take(charges, now)
      return peeked
    }) as never
  }
}

class TakesWhatItRefuses extends MemoryStore {
  override take(charges: readonly Charge[], now: number): Decision {
    const decision = super.take(charges, now)
    if (!decision.allowed) for (const charge of charges) super.settle([{ ...charge, cost: 0 }], charge.cost, now)
    return decision
  }
}

class ForgetsRefusedKeys extends MemoryStore {
  override take(charges: readonly Charge[], now: number): Decision {
    const peeked = super.peek(charges, now)
    return peeked.allowed ? super.take(charges, now) : peeked
  }
}

function costing(change: (cost: unknown) => unknown): Pick<Mutant, 'options'> {
  return options(({ cost }) => {
    if (typeof cost !== 'function') return {}
    return {
      cost: (req: Req) =>
        mapped((cost as Extract<PlainCharging<Req>['cost'], (...given: never[]) => unknown>)(req), change),
    }
  })
}

const firstLimiters = new WeakMap<Req, Limiter<Req>>()
let scopes = 0

export const COUNTING_MUTANTS: readonly Mutant[] = [
  {
    fault: 'it counts all customers as one',
    breaks: ['each customer is counted alone'],
    ...identifying((key) => (key === null ? null : 'everybody')),
  },
  {
    fault: 'it calls limits() once and keeps the result for all customers',
    breaks: ['customers on different plans have different limits'],
    ...options(({ limits }) => {
      let first: unknown
      if (typeof limits !== 'function') return {}
      return {
        limits: (key: string, req: Req) => {
          first ??= limits(key, req)
          return first
        },
      }
    }),
  },
  {
    fault: 'it tidies up keys',
    breaks: ['every string is a key of its own, whatever it means elsewhere'],
    ...identifying((key) => (typeof key === 'string' ? key.normalize().trim() : key)),
  },
  {
    fault: 'it takes names that every object has for anonymous customers',
    breaks: ['every string is a key of its own, whatever it means elsewhere'],
    ...identifying((key) => (typeof key === 'string' && key in {} ? null : key)),
  },
  {
    fault: 'it decodes keys',
    breaks: ['a key of any bytes is counted, and is not an error'],
    ...identifying((key) => (typeof key === 'string' ? decodeURIComponent(key) : key)),
  },
  {
    fault: 'it peeks first and takes later',
    breaks: [
      'requests pipelined on one socket are allowed exactly up to the limit',
      'pipelined requests are allowed exactly up to the limit when everything is asynchronous',
      'requests that wait for one shared promise are allowed exactly up to the limit',
    ],
    ...storing(PeeksFirst),
  },
  {
    fault: 'it counts each connection by itself',
    breaks: ['requests on many connections are allowed exactly up to the limit'],
    ...identifying((key, req) => (key === null ? null : `${key} ${req.socket.remotePort}`)),
  },
  {
    fault: 'it takes 1 for every request',
    breaks: ['a request takes its cost', 'a cost that an asynchronous function returns is taken too'],
    ...costing(() => 1),
  },
  {
    fault: 'it takes what it refuses',
    breaks: [
      'a refused expensive request takes nothing: a cheap one fits at once',
      'a refusal by one of two limits reports both and takes from neither',
    ],
    ...storing(TakesWhatItRefuses),
  },
  {
    fault: 'it takes 1 at least',
    breaks: ['a request of cost 0 takes nothing and is always allowed'],
    ...costing((cost) => Math.max(1, Number(cost))),
  },
  {
    fault: 'it skips requests of cost 0',
    breaks: ['a limit that counts requests counts those of cost 0'],
    ...options(({ cost }) => ({ skip: (req: Req) => typeof cost === 'function' && cost(req) === 0 })),
  },
  {
    fault: 'it knows a request by what can be replaced alone',
    breaks: ['one limiter counts a request once, where what the framework kept for it is gone'],
    bag: { get: bag.get, set: bag.set },
  },
  {
    fault: 'it forgets which requests it has counted',
    breaks: [
      'one limiter counts a request once, mounted twice',
      'one limiter counts a request once, where what the framework kept for it is gone',
      'one limiter counts a request once, mounted on a nested router too',
      'a costly route takes its cost once, not its cost and one',
      'a costly route that is refused takes nothing',
      'a costly route of a nested router takes its cost once',
      'a route of cost 0 gives back what the router took',
    ],
    bag: { get: () => undefined, set: () => true },
  },
  {
    fault: 'it counts a request on its first limiter only',
    breaks: ['two limiters each count a request', 'two limiters make two lists and one Retry-After'],
    ...taking((limiter, req) => {
      const first = firstLimiters.get(req) ?? limiter
      firstLimiters.set(req, first)
      return first === limiter ? limiter.take(req) : UNCOUNTED
    }),
  },
  {
    fault: 'it drops the scope',
    breaks: ['two limiters on one store keep to their scopes'],
    ...options(() => ({ scope: undefined })),
  },
  {
    fault: 'it compares paths to find the costly ones',
    breaks: ['a request that reaches a costly handler has paid its cost, however the path is written'],
    limiter: (limiter) => ({
      ...limiter,
      take: (req) => (req.url === '/costly' ? limiter.with({ cost: 10 }) : limiter).take(req),
      with: () => limiter,
    }),
  },
  {
    fault: 'its routes know costs, but no limits',
    breaks: ['a tighter route enforces its own limit beside the plan'],
    ...routing((limiter, { cost }) => limiter.with({ cost })),
  },
  {
    fault: 'it announces the wait of the mount that refused, and not those of the routes ahead',
    breaks: [
      /^a client that waits Retry-After is allowed, whichever mount refused it: (?!GET \/ )/,
      /^a route whose cost never fits says so whichever mount refused/,
    ],
    ahead: false,
  },
  {
    fault: 'it announces a wait that is a second too long',
    breaks: [/^a client that waits Retry-After is allowed, whichever mount refused it: GET \/ /],
    ...sending(({ name, value }) => (name === 'Retry-After' ? { value: String(Number(value) + 1) } : {})),
  },
  {
    fault: 'it gives each route a scope of its own',
    breaks: ['routes of one scope share its buckets'],
    ...routing((limiter, route) => {
      scopes++
      return limiter.with(route.scope === undefined ? route : { ...route, scope: `${route.scope}${scopes}` })
    }),
  },
  {
    fault: 'it drops keys that were refused first',
    breaks: ['a customer who keeps sending requests stays refused, however many others fill a small store'],
    ...options(({ store }) => (store instanceof MemoryStore ? { store: new ForgetsRefusedKeys({ maxKeys: 8 }) } : {})),
  },
  {
    fault: 'it remembers refused keys, but not the cost',
    breaks: ['a refused expensive request takes nothing: a cheap one fits at once'],
    ...storing(
      class extends MemoryStore {
        readonly #refused = new Map<string | undefined, Decision>()

        override take(charges: readonly Charge[], now: number): Decision {
          const key = charges[0]?.key
          const decision = this.#refused.get(key) ?? super.take(charges, now)
          if (!decision.allowed) this.#refused.set(key, decision)
          return decision
        }
      },
    ),
  },
  {
    fault: 'it forgets what is owed where a limit is defined otherwise',
    breaks: [
      'calls of cost 0 under the looser of two definitions give nothing back under the tighter',
      'two definitions of one name that take turns allow no more than the larger one',
    ],
    ...storing(
      class extends MemoryStore {
        #latest = ''

        override take(charges: readonly Charge[], now: number): Decision {
          const definitions = JSON.stringify(charges.map(({ limits }) => limits))
          if (this.#latest !== definitions) for (const { key, scope } of charges) this.reset(key, scope)
          this.#latest = definitions
          return super.take(charges, now)
        }
      },
    ),
  },
  {
    fault: 'it takes a plan that is missing for one without limits',
    breaks: [/^limits (later )?undefined .* reaches/],
    ...limiting((limits) => limits ?? []),
  },
  {
    fault: 'it takes what are no limits for none',
    breaks: [/^limits (null|NaN|digits|numbers) .* reaches/],
    ...limiting((limits) => {
      const are = Array.isArray(limits) && limits.every((limit) => typeof limit === 'object')
      return are || limits === undefined ? limits : []
    }),
  },
  {
    fault: 'it takes 1 where the cost is no number of tokens',
    breaks: [/^cost (later )?(NaN|minus one|one and a half|Infinity|digits|undefined) .* reaches/],
    ...costing((cost) => (typeof cost === 'number' && Number.isSafeInteger(cost) && cost >= 0 ? cost : 1)),
  },
  {
    fault: 'it takes a missing customer for an anonymous one',
    breaks: [/^identify (later )?undefined .* reaches/],
    ...identifying((key) => key ?? null),
  },
  {
    fault: 'it makes a key of anything',
    breaks: [/^identify (empty string|zero|an object) .* reaches/],
    ...identifying((key) => (key === undefined || key === null ? key : String(key) || 'unknown')),
  },
]
