import { type Charge, type Decision, type Limit, limit, MemoryStore } from '@rail/core'
import { type Mutant, options, sending, storing } from './mutant.js'

/** Takes from each limit by itself: what one refuses is gone from the others. */
class OneAfterTheOther extends MemoryStore {
  override take(charges: readonly Charge[], now: number): Decision {
    const decisions = charges.flatMap((charge) =>
      charge.limits.map((one) => super.take([{ ...charge, limits: [one] }], now)),
    )
    return {
      allowed: decisions.every((decision) => decision.allowed),
      limits: decisions.flatMap((decision) => decision.limits),
      retryAfterMs: Math.max(...decisions.map((decision) => decision.retryAfterMs)),
      refusedBy: decisions.flatMap((decision) => decision.refusedBy),
    }
  }
}

/** Keeps each customer to the limits that it met first. */
class KeepsTheFirstLimits extends MemoryStore {
  readonly #first = new Map<string, readonly Limit[]>()

  override take(charges: readonly Charge[], now: number): Decision {
    const first = charges.map((charge) => {
      const limits = this.#first.get(charge.key) ?? charge.limits
      this.#first.set(charge.key, limits)
      return { ...charge, limits }
    })
    return super.take(first, now)
  }
}

/** With each limit of an array made again. */
function remade(change: (given: Limit) => { tokens: number; burst: number }): Pick<Mutant, 'options'> {
  return options(({ limits }) => {
    if (!Array.isArray(limits) || typeof limits[0] !== 'object') return {}
    return {
      limits: (limits as Limit[]).map((given) =>
        limit({ name: given.name, per: given.windowMs, counts: given.counts, ...change(given) }),
      ),
    }
  })
}

const SENT_WAITS = [
  'ten of a burst of ten pass; the eleventh, 0.4 s later, waits one second',
  'a window of less than a second, and a wait in it, are sent as one second',
] as const

/** With waits and windows in milliseconds sent as seconds by `change`. */
function sendingSeconds(fault: string, change: (ms: number) => unknown): Mutant {
  const seconds = (ms: number | undefined): string => String(change(ms ?? 0))
  const changed = sending(({ name, value }, { decision }) => {
    if (name === 'Retry-After') return { value: seconds(decision?.retryAfterMs) }
    const [first] = decision?.limits ?? []
    const isPolicy = name === 'RateLimit-Policy'
    return { value: value.replace(/;[tw]=1$/, isPolicy ? `;w=${seconds(first?.limit.windowMs)}` : ';t=1') }
  })
  return { fault, breaks: SENT_WAITS, ...changed }
}

export const LIMIT_MUTANTS: readonly Mutant[] = [
  sendingSeconds('it rounds waits and windows down to 0', (ms) => Math.floor(ms / 1_000)),
  sendingSeconds('it sends waits and windows as fractions', (ms) => ms / 1_000),
  sendingSeconds('it sends NaN', () => Number.NaN),
  sendingSeconds('it sends undefined', () => undefined),
  {
    fault: 'its clock has whole seconds only, rounded up',
    breaks: [
      'a request one millisecond before the end of the wait is refused, one at its end is allowed',
      'of 150 requests within a second, 100 per minute allows 101',
      /^an empty bucket of the limit/,
    ],
    ...options(({ clock }) => ({ clock: () => Math.ceil((clock?.() ?? 0) / 1_000) * 1_000 })),
  },
  {
    fault: 'it takes from one limit after the other',
    breaks: [
      'a refusal by one of two limits reports both and takes from neither',
      'a request that a short limit refuses takes nothing from a long one',
      'several charges are all or nothing: a refused user takes nothing from the client',
      'a tighter route enforces its own limit beside the plan',
    ],
    ...storing(OneAfterTheOther),
  },
  {
    fault: 'it keeps a customer to the limits that it met first',
    breaks: ['a change of a definition takes effect at once, and so does its correction'],
    ...storing(KeepsTheFirstLimits),
  },
  {
    fault: 'it forgets that a limit is a share',
    breaks: ['a share of a quarter of 10 per second is 3 per second'],
    ...remade(({ wholeBurst }) => ({ tokens: wholeBurst, burst: wholeBurst })),
  },
  {
    fault: 'it forgets what a limit is a share of',
    breaks: ['a full bucket of a share allows a cost above the share, and the debt is waited off'],
    ...remade(({ tokens, burst }) => ({ tokens, burst })),
  },
  {
    fault: 'it sends waits however long they are',
    breaks: ['a wait longer than clients can count is sent as the longest they can'],
    ...sending(({ name, value }, { decision }) =>
      name === 'Retry-After' ? { value: String(Math.ceil((decision?.retryAfterMs ?? 0) / 1_000)) } : { value },
    ),
  },
  {
    fault: 'it keeps the latest time that it has seen',
    breaks: [
      'a clock that steps back an hour gives nothing and blocks no customer longer than the bucket takes to fill',
    ],
    ...options(({ clock }) => {
      let latest = 0
      return {
        clock: () => {
          latest = Math.max(latest, clock?.() ?? 0)
          return latest
        },
      }
    }),
  },
]
