import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import manifest from '../../package.json' with { type: 'json' }
import type { ApplyError, PlansInForce } from '../in-force/plans-in-force.js'
import {
  SYNC_PROTOCOL,
  type SyncEnvelope,
  type SyncReport,
  type SyncRequest,
  syncEnvelopeSchema,
} from '../protocol/messages.js'
import type { SyncSettings } from './sync-options.js'
import { type Reply, Transport } from './transport.js'
import type { UsageReports } from './usage-reports.js'
import { waitAfterAnswer, waitAfterFailure } from './waits.js'

/** Who a loop tells. */
export interface SyncListener {
  /** An answer came, and is applied once this resolves. */
  applying(): Promise<void>
  /** An answer was applied, or was passed over. */
  synced(): void
  /** An exchange failed, or its payload was not taken; the loop goes on in so many milliseconds. */
  failed(problem: string, waitMs: number): void
}

/** Exchanges with the control plane, one after another, for as long as the process lives. */
export class SyncLoop {
  readonly instance = randomUUID()
  readonly #settings: SyncSettings
  readonly #plans: PlansInForce
  readonly #reports: UsageReports
  readonly #listener: SyncListener
  readonly #transport: Transport
  readonly #startedAt: number
  #cancel = (): void => {}
  #running: Promise<void> | undefined
  #closed = false
  #applyError: ApplyError | undefined
  #answered = false
  /**
   * What is known of a report that was refused. `'suspected'`: the next request goes without it, to see whether that is
   * taken. `'likely'`: it was, so if the report is refused once more, the report it is.
   */
  #report: 'sound' | 'suspected' | 'likely' = 'sound'
  failures = 0
  problem: string | undefined

  constructor(settings: SyncSettings, plans: PlansInForce, reports: UsageReports, listener: SyncListener) {
    this.#settings = settings
    this.#plans = plans
    this.#reports = reports
    this.#listener = listener
    this.#transport = new Transport(settings)
    this.#startedAt = Math.max(0, Math.floor(settings.epochClock()))
  }

  /** Exchanges now, and then again and again. */
  start(): void {
    if (this.#closed) return
    this.#running = this.#exchange(false).then((waitMs) => {
      this.#running = undefined
      if (!this.#closed) this.#cancel = this.#settings.schedule(() => this.start(), waitMs)
    })
  }

  /** The last reports, and goodbye if the options say so; whatever comes of it, this ends in time. */
  async close(): Promise<void> {
    this.#closed = true
    this.#cancel()
    const { schedule, timeoutMs, leaveOnClose } = this.#settings
    let late = false
    const inTime = schedule(() => {
      late = true
      this.#transport.abandon(new Error('closing took too long'))
    }, timeoutMs)
    await this.#running
    // A second try, since a connection that was kept may turn out to be dead; and no more where nothing is acknowledged.
    for (let tries = 2; tries > 0 && !late; ) {
      const report = this.#reports.next()
      if (!leaveOnClose && report === undefined) break
      const before = this.failures
      await this.#exchange(leaveOnClose)
      const after = this.#reports.next()
      if (this.failures === before && after === undefined) break
      if (after?.seq === report?.seq) tries -= 1
    }
    inTime()
    this.#transport.close()
  }

  /** One exchange. Gives the wait until the next, in milliseconds; never rejects. */
  async #exchange(leaving: boolean): Promise<number> {
    const report = this.#report === 'suspected' ? undefined : this.#reports.next()
    let reply: Reply | undefined
    try {
      reply = await this.#transport.post(this.#request(report, leaving))
      if (reply.status !== 200) return this.#failed(refusalText(reply), reply, report)
      const answer = syncEnvelopeSchema.safeParse(JSON.parse(reply.text))
      if (!answer.success)
        return this.#failed(`the answer is not as the protocol says: ${firstIssue(answer.error)}`, reply, report)
      return await this.#answeredWith(answer.data, report)
    } catch (error) {
      return this.#failed(error instanceof Error ? error.message : String(error), reply, report)
    }
  }

  async #answeredWith(answer: SyncEnvelope, report: SyncReport | undefined): Promise<number> {
    const { nextSyncMs, ackSeq = 0 } = answer
    const isFirst = !this.#answered
    this.#answered = true
    this.failures = 0
    const moreToReport = (report !== undefined && this.#reports.acknowledge(ackSeq)) || this.#report === 'suspected'
    this.#report = this.#report === 'suspected' ? 'likely' : 'sound'
    await this.#listener.applying()
    this.#applyError = await this.#plans.apply(answer)
    const waitMs = waitAfterAnswer(
      moreToReport ? Math.min(1_000, nextSyncMs) : nextSyncMs,
      isFirst,
      this.#settings.random(),
    )
    this.problem = this.#applyError?.message
    if (this.#applyError !== undefined)
      this.#listener.failed(`revision ${answer.rev} was not taken: ${this.#applyError.message}`, waitMs)
    else this.#listener.synced()
    return waitMs
  }

  #failed(problem: string, reply: Reply | undefined, report: SyncReport | undefined): number {
    const status = reply?.status ?? 0
    this.failures += 1
    this.problem = problem.replaceAll(this.#settings.token, '…')
    if (status === 413 || status === 400) this.#judge(report)
    const waitMs = waitAfterFailure(this.failures, status, reply?.retryAfterMs, this.#settings.random())
    this.#listener.failed(this.problem, waitMs)
    return waitMs
  }

  /** What a refusal says of the report that it came with, or came without. */
  #judge(report: SyncReport | undefined): void {
    if (this.#report === 'likely' && report !== undefined) this.#reports.refuse()
    this.#report = report !== undefined && this.#report === 'sound' ? 'suspected' : 'sound'
  }

  #request(report: SyncReport | undefined, leaving: boolean): SyncRequest {
    const { held, have, source, unknownScopes } = this.#plans
    return {
      v: SYNC_PROTOCOL,
      sdk: `${manifest.name}/${manifest.version}`,
      instance: this.instance,
      host: hostname().slice(0, 255),
      pid: process.pid,
      startedAt: this.#startedAt,
      source: source === 'none' ? 'fallback' : source,
      ...(have && { have }),
      ...(held && { servers: held.servers, setting: held.setting }),
      ...(this.#applyError && { applyError: this.#applyError }),
      ...(unknownScopes.size > 0 && { unknownScopes: [...unknownScopes].map((scope) => scope.slice(0, 255)) }),
      ...(leaving && { leaving }),
      ...(report && { report }),
    }
  }
}

/** What a control plane says of a refusal, from problem details (RFC 9457) where it sends them. */
function refusalText({ status, text }: Reply): string {
  const said = /"(?:detail|title)"\s*:\s*"([^"]{1,300})"/.exec(text)?.[1]
  const hint =
    status === 401 || status === 403
      ? ' The token is wrong, revoked, or has not the scope sync.'
      : status === 404
        ? ' Is the url that of the control plane?'
        : ''
  return `it answered ${status}${said === undefined ? '' : ` (${said})`}.${hint}`
}

function firstIssue({ issues }: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }): string {
  const [first] = issues
  return first === undefined ? 'unknown' : `${first.path.map(String).join('.')}: ${first.message}`
}
