import type { Limit } from './limit.js'

/** The seconds in which an empty bucket fills, rounded up: never 0, which the drafts forbid. */
export function windowSeconds(limit: Limit): number {
  return Math.ceil(Math.ceil(limit.size / limit.flow) / 1000)
}
