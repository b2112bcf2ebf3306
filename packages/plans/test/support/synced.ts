import { type ManualClock, manualClock, type RailError } from '@rail/core'
import { type SyncedPlans, type SyncOptions, syncPlans } from '../../src/index.js'
import { type FakeControlPlane, fakeControlPlane } from './fake-control-plane.js'
import { type ManualSchedule, manualSchedule } from './manual-schedule.js'

/** One server synced with a control plane, whose time a test moves. */
export interface Synced {
  readonly plane: FakeControlPlane
  readonly plans: SyncedPlans
  readonly clock: ManualClock
  readonly timers: ManualSchedule
  readonly errors: RailError[]
  /** The token, which must not appear anywhere else. */
  readonly token: string
  /** Resolves after an exchange, with the wait until the next. */
  exchanged(): Promise<number>
  /** Lets the wait pass and waits for another exchange. Resolves with the wait after it. */
  exchange(): Promise<number>
  /** The tokens per second of a customer's limit; `undefined`: no limit. */
  perSecond(customer: string): number | undefined
}

/** The lengths of the timers of an exchange and of `ready()`, which distinguish them from the waits between exchanges. */
const TIMEOUT_MS = 10_007
const READY_MS = 2_003
const isWait = (afterMs: number): boolean => afterMs !== TIMEOUT_MS && afterMs !== READY_MS && afterMs !== 1_000

const opened: Synced[] = []

/** Starts a control plane, unless one is given, and a server that syncs with it. Random is always 0.6. */
export async function synced(options: Partial<SyncOptions> = {}, given?: FakeControlPlane): Promise<Synced> {
  const plane = given ?? (await fakeControlPlane())
  const clock = manualClock(1_000_000)
  const timers = manualSchedule()
  const errors: RailError[] = []
  const token = 'secret-token'
  const plans = syncPlans({
    url: plane.url,
    token,
    clock,
    schedule: timers.schedule,
    random: () => 0.6,
    timeout: TIMEOUT_MS,
    readyWithin: READY_MS,
    onError: (error) => errors.push(error),
    ...options,
  })
  const exchanged = async (): Promise<number> => {
    await timers.running(isWait)
    return timers.waits().filter(isWait)[0] as number
  }
  const one: Synced = {
    plane,
    plans,
    clock,
    timers,
    errors,
    token,
    exchanged,
    exchange: async () => {
      clock.advance(await exchanged())
      timers.fire(isWait)
      return exchanged()
    },
    perSecond: (customer) => plans.limitsFor(customer, '').find(({ name }) => name === 'per_second')?.tokens,
  }
  opened.push(one)
  return one
}

/** For `afterEach`: closes what {@link synced} opened. */
export async function closeAll(): Promise<void> {
  for (const { plans, plane } of opened.splice(0)) {
    plane.answering = (_, response) => response.destroy()
    await plans.close()
    await plane.stop()
  }
}
