import { type Mutant, options, UNCOUNTED } from './mutant.js'

export const CLIENT_MUTANTS: readonly Mutant[] = [
  {
    fault: 'it lets go of a request whose client has left',
    breaks: ['a request whose client leaves before the store has answered reaches its handler, and is charged'],
    outcome: (outcome, req) => {
      if (!req.socket.destroyed) return outcome
      outcome.settle(0)
      return UNCOUNTED
    },
  },
  {
    fault: 'it settles where a client is there',
    breaks: [
      'settling works when the client left before the store had answered',
      'settling works when the client left before the first byte',
      'settling works when a response broke on its way',
    ],
    outcome: (outcome, req) => ({
      ...outcome,
      settle: (actual) => {
        if (!req.socket.destroyed) outcome.settle(actual)
      },
    }),
  },
  {
    fault: 'it gives back what has come back by itself, by cheaper requests',
    breaks: ['settling after everything has come back by itself gives nothing twice'],
    ...options(({ cost }) => {
      if (typeof cost !== 'function') return {}
      return { cost: (req: never) => (credit-- > 0 ? 0 : cost(req)) }
    }),
    outcome: (outcome) => ({
      ...outcome,
      settle: (actual) => {
        credit = (outcome.decision?.limits[0]?.cost ?? 0) - actual
        outcome.settle(actual)
      },
    }),
  },
  ...[-1, 1].map((ms) => ({
    fault: `the wait that it says is ${ms} ms off`,
    breaks: ['a queue that waits as long as each refusal says is served in its order, never early or late'],
    ...options(({ onReject }) => ({
      onReject:
        onReject &&
        ((...[refusal, ...more]: Parameters<typeof onReject>) => {
          const { decision } = refusal
          const retryAfterMs = (decision?.retryAfterMs ?? 0) + ms
          return onReject({ ...refusal, decision: decision && { ...decision, retryAfterMs } }, ...more)
        }),
    })),
  })),
]

/** Requests that cost nothing. */
let credit = 0
