import type { Clock, LimiterOptions, Preflights, RouteOptions } from '@rail/core'

/** A scenario: how the app under test is set up. */
export interface Scenario<Request> {
  readonly limiters: readonly LimiterOptions<Request>[]
  /** Which limiters are mounted in front of every route, one after the other. @default each once */
  readonly mounts?: readonly number[]
  /** Routes that are tighter or costlier, by method and path; `/nested` has a router of its own. */
  readonly routes?: Readonly<Record<string, RouteOptions<Request>>>
  /** Headers that a middleware in front of the limiters sets. */
  readonly upstream?: Readonly<Record<string, string>>
  /** Whether the first limiter is in front of the app's own handler for paths that are not found. @default false */
  readonly missing?: boolean
  /** Whether the app has an error handler of its own. @default false */
  readonly errorHandler?: boolean
  /** Whether a timeout in front of the limiters answers while they or the handler have not. @default false */
  readonly timeout?: boolean
}

/** Makes a scenario for a framework's kind of request. */
export type ScenarioMaker = <Request>(tools: Tools<Request>) => Scenario<Request>

/** How a scenario reads the suite's headers, in any framework. */
export interface Tools<Request> {
  /** A header of the request, by its lower-case name. */
  header(request: Request, name: string): string | undefined
  /** Replaces the object in which the framework keeps values of a request, where it can be replaced. */
  forget(request: Request): void
  /** The customer that the suite names (`x-customer`, percent-encoded); `null` without one. */
  readonly customer: (request: Request) => string | null
  /** The cost that the suite names (`x-cost`); 1 without one. */
  readonly cost: (request: Request) => number
  /** The adapter's `preflights`. */
  readonly preflights: Preflights<Request>
  /** The clock that the suite moves. */
  readonly clock: Clock
  /** Counts a call of one of the scenario's functions, for {@link Seen.called}. */
  readonly called: (name: string) => void
  /** A promise that several callers share, as many as `x-together` names. The last of them resolves it. */
  readonly together: (request: Request) => Promise<void>
}

/** @returns the tools of one run of a scenario, and how many wait in {@link Tools.together}. */
export function toolsFor<Request>(
  {
    header,
    forget,
    preflights,
  }: Pick<Tools<Request>, 'header' | 'preflights'> & Partial<Pick<Tools<Request>, 'forget'>>,
  clock: Clock,
  called: Tools<Request>['called'],
): { readonly tools: Tools<Request>; waiting(): number } {
  let waiting = 0
  let gate: { promise: Promise<void>; open: () => void } | undefined
  const tools: Tools<Request> = {
    header,
    forget: forget ?? (() => {}),
    preflights,
    clock,
    called,
    customer: (request) => {
      const name = header(request, 'x-customer')
      return name === undefined ? null : decodeURIComponent(name)
    },
    cost: (request) => Number(header(request, 'x-cost') ?? 1),
    together: (request) => {
      gate ??= newGate()
      const { promise, open } = gate
      waiting++
      if (waiting >= Number(header(request, 'x-together') ?? 1)) {
        waiting = 0
        gate = undefined
        open()
      }
      return promise
    },
  }
  return { tools, waiting: () => waiting }
}

function newGate(): { promise: Promise<void>; open: () => void } {
  let open = (): void => {}
  const promise = new Promise<void>((resolve) => {
    open = resolve
  })
  return { promise, open }
}
