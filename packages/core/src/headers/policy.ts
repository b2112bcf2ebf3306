import type { LimitStatus } from '../bucket/decision.js'
import { sentName } from '../limit/sent-name.js'
import { windowSeconds } from '../limit/window-seconds.js'
import { serializeString } from './structured-string.js'

/** The parts of `RateLimit-Policy` and `RateLimit` that are the same for the same limits. */
export interface Policy {
  readonly text: string
  /** For each limit, the part of `RateLimit` before its number of tokens left. */
  readonly heads: readonly string[]
}

export function makePolicy(statuses: readonly LimitStatus[]): Policy {
  const names = statuses.map(({ limit, scope }) => serializeString(sentName(scope, limit)))
  return {
    text: statuses.map(({ limit }, index) => `${names[index]};q=${limit.burst};w=${windowSeconds(limit)}`).join(', '),
    heads: names.map((name, index) => `${index === 0 ? '' : ', '}${name};r=`),
  }
}
