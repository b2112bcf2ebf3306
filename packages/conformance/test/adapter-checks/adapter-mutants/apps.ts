import type { LimiterOptions } from '@rail/core'
import { bag, type Req } from '../plain-adapter.js'
import { type Mutant, options, routing, UNCOUNTED } from './mutant.js'

export const APP_MUTANTS: readonly Mutant[] = [
  {
    fault: 'it goes on, and refuses afterwards',
    breaks: ['a refused request reaches nothing behind the limiter: its body is not parsed'],
    refuse: (res, { refusal }, _req, next) => {
      if (refusal !== undefined) res.writeHead(refusal.status, { 'Content-Type': refusal.type }).end(refusal.body)
      next()
    },
  },
  {
    fault: 'it identifies a request at each of its mounts',
    breaks: [/^the functions of a limiter that is mounted twice are called once for a request/],
    ...calling('identify'),
  },
  {
    fault: 'it looks a plan up again for a request that it refuses',
    breaks: ['the functions of a limiter are called once for a request that it refuses'],
    ...calling('limits', ({ refusal }) => refusal !== undefined),
  },
  {
    fault: 'its routes are not limited where no limiter is in front of all of them',
    breaks: ["a limiter on the app's own handler of paths that are not found limits those alone"],
    ...routing((limiter) => ({ ...limiter, take: () => UNCOUNTED })),
  },
  {
    fault: 'it skips nothing',
    breaks: ['two limiters that each skip what the other counts leave each other alone'],
    ...options(() => ({ skip: undefined })),
  },
  {
    fault: 'it counts HEAD requests at each mount',
    breaks: ['a HEAD request for a costly route takes its cost once'],
    bag: { get: (req) => (req.method === 'HEAD' ? undefined : bag.get(req)), set: bag.set },
  },
  {
    fault: 'it writes its defaults into the options',
    breaks: ['the options of a limiter stay as they were given'],
    options: (given) => Object.assign(given, { scope: given.scope ?? '' }),
  },
  {
    fault: 'it trusts a store that has answered once',
    breaks: ['a store that fails late refuses nothing, and counts on when it is back'],
    outcome: (outcome, _req, _res, given) => {
      if (outcome.decision !== undefined) answered.add(given)
      else if (answered.has(given)) throw new Error('the store failed')
      return outcome
    },
  },
]

const answered = new WeakSet<LimiterOptions<Req>>()

/** Calls a function of the user's once more. */
function calling(
  name: 'identify' | 'limits',
  when: (outcome: { readonly refusal?: unknown }) => boolean = () => true,
): Pick<Mutant, 'outcome'> {
  return {
    outcome: (outcome, req, _res, given) => {
      const { identify, limits } = given
      if (!when(outcome)) return outcome
      if (name === 'identify') identify?.(req)
      else if (typeof limits === 'function') limits('', req)
      return outcome
    },
  }
}
