import { createLimiter, type Limiter, type LimiterOptions } from '@rail/core'
import type { Bag, Framework } from '@rail/core/adapter'

/** A request as a framework has it: it has a place for what middleware keeps. */
export interface Bagged {
  readonly key: string
  state: unknown
}

const bag: Bag<Bagged> = {
  get: (request) => request.state,
  set(request, value) {
    request.state = value
    return true
  },
}

/** A limiter that keeps its state in the request, as those of the adapters do. */
export function baggedLimiter(limits: LimiterOptions<Bagged>['limits']): Limiter<Bagged> {
  const options = { identify: ({ key }: Bagged) => key, limits } as LimiterOptions<Bagged>
  return createLimiter<Bagged>(options, { bag } satisfies Framework<Bagged>)
}
