import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Charge,
  type Decision,
  type Limiter,
  MemoryStore,
  type PlainCharging,
  type RouteOptions,
} from '@rail/core'
import type { Req } from '../plain-adapter.js'
import { identifying, limiting, type Mutant, mapped, options, storing, taking, UNCOUNTED } from './mutant.js'

/** Looks whether there is room, and takes in a later turn: everybody who looks in between sees the same room. */
class LooksFirst extends MemoryStore {
  override take(charges: readonly Charge[], now: number): never {
    const seen = super.peek(charges, now)
    return nextTurn().then((): Decision => {
      super.take(charges, now)
      return seen
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

class ForgetsWhoItRefuses extends MemoryStore {
  override take(charges: readonly Charge[], now: number): Decision {
    const seen = super.peek(charges, now)
    return seen.allowed ? super.take(charges, now) : seen
  }
}

/** With another `with`. */
function routing(change: (limiter: Limiter<Req>, route: RouteOptions<Req>) => Limiter<Req>): Pick<Mutant, 'limiter'> {
  return { limiter: (limiter) => ({ ...limiter, with: (route) => change(limiter, route) }) }
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
    fault: 'it asks for limits once and keeps them for everybody',
    breaks: ['customers on different plans have different limits'],
    ...options(({ limits }) => {
      let known: unknown
      if (typeof limits !== 'function') return {}
      return {
        limits: (key: string, req: Req) => {
          known ??= limits(key, req)
          return known
        },
      }
    }),
  },
  {
    fault: 'it tidies up keys',
    breaks: ['every text is a key of its own, whatever it means elsewhere'],
    ...identifying((key) => (typeof key === 'string' ? key.normalize().trim() : key)),
  },
  {
    fault: 'it takes names that every object has for customers it knows',
    breaks: ['every text is a key of its own, whatever it means elsewhere'],
    ...identifying((key) => (typeof key === 'string' && key in {} ? null : key)),
  },
  {
    fault: 'it decodes keys',
    breaks: ['whatever bytes a key is made of, it is counted, and is no error'],
    ...identifying((key) => (typeof key === 'string' ? decodeURIComponent(key) : key)),
  },
  {
    fault: 'it looks for room first and takes later',
    breaks: [
      'exactly the limit is admitted of requests pipelined on one socket',
      'exactly the limit is admitted of pipelined requests when everything is asynchronous',
      'exactly the limit is admitted of requests that wait for one shared promise',
    ],
    ...storing(LooksFirst),
  },
  {
    fault: 'it counts each connection by itself',
    breaks: ['exactly the limit is admitted of requests on many connections'],
    ...identifying((key, req) => (key === null ? null : `${key} ${req.socket.remotePort}`)),
  },
  {
    fault: 'it takes 1 for every request',
    breaks: ['a request takes its cost', 'a cost that comes later is taken all the same'],
    ...costing(() => 1),
  },
  {
    fault: 'it takes what it refuses',
    breaks: [
      'a refused dear request takes nothing: a cheap one fits at once',
      'a refusal by one of two limits tells of both and takes from neither',
    ],
    ...storing(TakesWhatItRefuses),
  },
  {
    fault: 'it takes 1 at least',
    breaks: ['a request of cost 0 takes nothing and is always let in'],
    ...costing((cost) => Math.max(1, Number(cost))),
  },
  {
    fault: 'it does not look at what costs nothing',
    breaks: ['requests of cost 0 are held by a limit that counts requests'],
    ...options(({ cost }) => ({ skip: (req: Req) => typeof cost === 'function' && cost(req) === 0 })),
  },
  {
    fault: 'it forgets which requests it has counted',
    breaks: [
      'one limiter counts a request once, mounted twice',
      'one limiter counts a request once, mounted on a nested router too',
      'a costly route takes its cost once, not its cost and one',
      'a costly route that is refused takes nothing',
      'a costly route of a nested router takes its cost once',
      'a route of cost 0 gives back what the router took',
    ],
    ...taking((limiter, req) => limiter.take(Object.create(req) as Req)),
  },
  {
    fault: 'it lets one limiter only count a request',
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
    fault: 'it looks for costly paths by itself',
    breaks: ['who reaches a costly handler has paid its cost, however the path is written'],
    limiter: (limiter) => ({
      ...limiter,
      take: (req) => (req.url === '/costly' ? limiter.with({ cost: 10 }) : limiter).take(req),
      with: () => limiter,
    }),
  },
  {
    fault: 'its routes know costs, but no limits',
    breaks: ['a tighter route is held by its own limit beside the plan'],
    ...routing((limiter, { cost }) => limiter.with({ cost })),
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
    fault: 'it drops those first who keep asking',
    breaks: ['a customer who keeps asking stays refused, however many others fill a small store'],
    ...options(({ store }) => (store instanceof MemoryStore ? { store: new ForgetsWhoItRefuses({ maxKeys: 8 }) } : {})),
  },
  {
    fault: 'it remembers who was refused, and not at what cost',
    breaks: ['a refused dear request takes nothing: a cheap one fits at once'],
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
    fault: 'it takes a customer who is not there for an anonymous one',
    breaks: [/^identify (later )?undefined .* reaches/],
    ...identifying((key) => key ?? null),
  },
  {
    fault: 'it makes a key of anything',
    breaks: [/^identify (empty text|zero|an object) .* reaches/],
    ...identifying((key) => (key === undefined || key === null ? key : String(key) || 'unknown')),
  },
]
