import {
  type Clock,
  createPlanBook,
  type Decision,
  draft6,
  type LimitStatus,
  type PlanDocument,
  problem,
  type RateLimitOptions,
} from '@rail/fastify'
import type { FastifyRequest } from 'fastify'
import type { Customer } from './plans.js'
import { ERRORS } from './problem.js'

/** Snip's limiter: its plans, fields that every client reads, and problems as bodies. */
export function limitsOf(
  plans: PlanDocument,
  customerOf: (request: FastifyRequest) => Customer,
  clock: Clock | undefined,
): RateLimitOptions {
  return {
    identify: (request) => customerOf(request).id,
    limits: createPlanBook(plans),
    headers: draft6,
    onReject: problem({
      type: `${ERRORS}rate-limited`,
      title: 'Rate limit exceeded',
      detail: (request, decision) => detailFor(customerOf(request).plan, decision),
      instance: (request) => request.url.replace(/\?.*/s, ''),
      violatedPolicies: false,
    }),
    clock,
  }
}

/** The limit that refused, in words of the plan, and what helps. */
function detailFor(plan: string, { limits, retryAfterMs }: Decision): string | undefined {
  const refusing = limits.filter(({ refused }) => refused)
  const longest = refusing.find((status) => status.retryAfterMs === retryAfterMs)
  if (longest === undefined) return undefined
  const seconds = Math.ceil(retryAfterMs / 1_000)
  return `The ${plan} plan allows ${allowance(longest)}. Retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
}

function allowance({ limit, scope }: LimitStatus): string {
  const what = scope === '' ? 'requests' : scope
  return `${limit.tokens} ${what} ${limit.name.replaceAll('_', ' ')}`
}
