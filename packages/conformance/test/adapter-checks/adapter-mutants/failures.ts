import { localStore, MemoryStore, RailError } from '@rail/core'
import { addFields } from '@rail/core/adapter'
import { type Req, send } from '../plain-adapter.js'
import { beforeEnd, type Mutant, mapped, options, settling, storing } from './mutant.js'

export const FAILURE_MUTANTS: readonly Mutant[] = [
  {
    fault: 'it allows requests where it fails itself',
    breaks: [
      /^(identify|limits|cost|skip) (throws|rejects).* reaches/,
      /is an error in an app without an error handler too$/,
      'a clock that gives no number is an error, never a free pass',
    ],
    failed: (_error, next) => next(),
  },
  {
    fault: 'it skips whatever is like true',
    breaks: [/^skip (digits|undefined|an object|later numbers) /],
    ...options(({ skip }) => ({ skip: skip && ((req: Req) => mapped(skip(req), Boolean)) })),
  },
  {
    fault: 'it passes on any thrown value',
    breaks: [/^(identify|limits|cost|skip) that (throws|rejects).* never a free pass$/],
    failed: (error, next) =>
      next(error instanceof RailError && error.code === 'RAIL_NOT_AN_ERROR' ? error.cause : error),
  },
  {
    fault: 'it sends a full budget where the store is unavailable',
    breaks: [/^a store that fails .* refuses nothing/],
    outcome: (outcome) =>
      outcome.decision !== undefined || outcome.refusal !== undefined
        ? outcome
        : { ...outcome, headers: [{ name: 'RateLimit', value: '"per_minute";r=2', merge: 'list' }] },
  },
  {
    fault: 'it takes an unavailable store for a limit that is exceeded',
    breaks: [/^a store that fails .* is a 503/],
    refuse: (res, outcome) =>
      send(res, { ...outcome, refusal: outcome.refusal && { ...outcome.refusal, status: 429 } }),
  },
  {
    fault: 'it gives each server the whole limit where the store is unavailable',
    breaks: [/^a store that fails .* leaves this server its share/],
    ...options(({ onStoreFailure }) => (typeof onStoreFailure === 'object' ? { onStoreFailure: localStore() } : {})),
  },
  {
    fault: 'it goes without a limiter that cannot be made',
    breaks: [/^wrong options fail when the limiter is made/],
    unmade: (_req, _res, next) => next(),
  },
]

export const RAIL_MUTANTS: readonly Mutant[] = [
  {
    fault: 'it hides the decision',
    breaks: ['a handler sees the decision on its request'],
    outcome: (outcome) => ({ ...outcome, decision: undefined }),
  },
  {
    fault: 'it gives the latest outcome for that of each limiter',
    breaks: ['of gives the outcome of each limiter, and the request has the latest'],
    limiter: (limiter) => ({ ...limiter, of: (req) => req.rail }),
  },
  {
    fault: 'it makes up a decision',
    breaks: ['a request that was not counted has no decision'],
    outcome: (outcome) => ({
      ...outcome,
      decision: outcome.decision ?? { allowed: true, limits: [], retryAfterMs: 0, refusedBy: [] },
    }),
  },
  {
    fault: 'it never settles',
    breaks: ['settling for more leaves a debt that is waited off', 'a costly route settles what it took'],
    ...settling(() => {}),
  },
  {
    fault: 'it never gives back',
    breaks: ['settling for less gives back, never above full'],
    ...settling((actual, outcome) => outcome.settle(Math.max(actual, outcome.decision?.limits[0]?.cost ?? 0))),
  },
  {
    fault: 'it sends the headers of what was taken first',
    breaks: [
      /^a cost that is settled before the response is in its headers/,
      /^a cost that a costly route settles before its response is in its headers/,
      'a limit that counts requests stays as it is where a cost is settled',
      'headers with room for one limit have the cost that was settled too',
    ],
    outcome: (outcome) => ({ ...outcome }),
  },
  {
    fault: 'it settles every time',
    breaks: ['the first settle counts, further ones do nothing'],
    ...settling((actual, _outcome, store, charges) => void store.settle(charges, actual, 0)),
  },
  {
    fault: 'it gives back by itself what fails',
    breaks: ['settling works when the handler has thrown'],
    addFields: (res, outcome) => {
      addFields(res, outcome)
      beforeEnd(res, () => {
        if (res.statusCode >= 500) outcome.settle(0)
      })
    },
  },
  {
    fault: 'it settles only what was sent whole',
    breaks: ['settling works when the client has left a stream'],
    outcome: (outcome, _req, res) => ({
      ...outcome,
      settle: (actual) => {
        if (res.writableFinished) outcome.settle(actual)
      },
    }),
  },
  {
    fault: 'it settles limits that count requests too',
    breaks: ['settling leaves a limit that counts requests alone'],
    ...settling((actual, _outcome, store, charges) => {
      for (const { limits, ...charge } of charges) {
        store.settle([{ ...charge, limits: limits.map((limit) => ({ ...limit, counts: 'cost' })) }], actual, 0)
      }
    }),
  },
  {
    fault: 'it throws where it cannot settle',
    breaks: ['settling with a value that is no cost is reported, and changes nothing'],
    ...settling((actual, outcome) => {
      if (!(actual >= 0)) throw new Error('no cost')
      outcome.settle(actual)
    }),
  },
  {
    fault: 'it settles dry runs',
    breaks: ['settling does nothing after a dry run'],
    ...storing(MemoryStore),
    ...settling((actual, _outcome, store, charges) => void store.settle(charges, actual, 0)),
  },
]
