import type { LimitStatus } from '../bucket/decision.js'
import { sentName } from '../limit/sent-name.js'
import { windowSeconds } from '../limit/window-seconds.js'
import type { Field } from './field.js'
import { serializeString } from './structured-string.js'

/** The parts of the two headers that are the same for the same limits. */
export interface Policy {
  /** `RateLimit-Policy`. */
  readonly field: Field
  /** For each limit, the part of `RateLimit` before its number of tokens left. */
  readonly heads: readonly string[]
}

export function makePolicy(statuses: readonly LimitStatus[]): Policy {
  const names = statuses.map(({ limit, scope }) => serializeString(sentName(scope, limit)))
  const text = statuses
    .map(({ limit }, index) => `${names[index]};q=${limit.burst};w=${windowSeconds(limit)}`)
    .join(', ')
  return {
    field: Object.freeze({ name: 'RateLimit-Policy', value: text, merge: 'list' }),
    heads: names.map((name, index) => `${index === 0 ? '' : ', '}${name};r=`),
  }
}
