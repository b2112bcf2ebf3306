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

/** What a loop calls. */
export interface SyncListener {
  /** Called when an answer came; it is applied when this resolves. */
  applying(): Promise<void>
  /** Called when an answer was applied, or ignored. */
  synced(): void
  /** Called when an exchange failed, or its answer was not applied; the next exchange starts after `waitMs`. */
  failed(problem: string, waitMs: number): void
}

/** Exchanges with the control plane, one after another, until it is closed. */
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
   * Whether the report is the reason for a refusal. `'suspected'`: the next request goes without it. `'likely'`: that one was
   * accepted, so if the request with the report is refused again, the report is the reason.
   */
  #report: 'good' | 'suspected' | 'likely' = 'good'
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

  /** Exchanges now, and again after each wait. */
  start(): void {
    if (this.#closed) return
    this.#running = this.#exchange(false).then((waitMs) => {
      this.#running = undefined
      if (!this.#closed) this.#cancel = this.#settings.schedule(() => this.start(), waitMs)
    })
  }

  /** Sends the last reports, and leaves unless `leaveOnClose` is false. Ends within the timeout, even if this fails. */
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
    // Two tries, because a kept connection may be dead; more only while reports are acknowledged.
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

  /** One exchange. Resolves with the wait until the next, in milliseconds; never rejects. */
  async #exchange(leaving: boolean): Promise<number> {
    const report = this.#report === 'suspected' ? undefined : this.#reports.next()
    let reply: Reply | undefined
    try {
      reply = await this.#transport.post(this.#request(report, leaving))
      if (reply.status !== 200) return this.#failed(refusalText(reply), reply, report)
      const answer = syncEnvelopeSchema.safeParse(JSON.parse(reply.text))
      if (!answer.success)
        return this.#failed(`its answer does not follow the protocol: ${firstIssue(answer.error)}`, reply, report)
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
    this.#report = this.#report === 'suspected' ? 'likely' : 'good'
    await this.#listener.applying()
    this.#applyError = await this.#plans.apply(answer)
    const waitMs = waitAfterAnswer(
      moreToReport ? Math.min(1_000, nextSyncMs) : nextSyncMs,
      isFirst,
      this.#settings.random(),
    )
    this.problem = this.#applyError?.message
    if (this.#applyError !== undefined)
      this.#listener.failed(`revision ${answer.rev} was not applied: ${this.#applyError.message}`, waitMs)
    else this.#listener.synced()
    return waitMs
  }

  #failed(problem: string, reply: Reply | undefined, report: SyncReport | undefined): number {
    const status = reply?.status ?? 0
    this.failures += 1
    const { token } = this.#transport
    this.problem = token === undefined ? problem : problem.replaceAll(token, '…')
    if (status === 413 || status === 400) this.#judge(report)
    const waitMs = waitAfterFailure(this.failures, status, reply?.retryAfterMs, this.#settings.random())
    this.#listener.failed(this.problem, waitMs)
    return waitMs
  }

  /** Concludes from a refusal whether the report is the reason. */
  #judge(report: SyncReport | undefined): void {
    if (this.#report === 'likely' && report !== undefined) this.#reports.refuse()
    this.#report = report !== undefined && this.#report === 'good' ? 'suspected' : 'good'
  }

  #request(report: SyncReport | undefined, leaving: boolean): SyncRequest {
    const { loaded, have, source, unknownScopes } = this.#plans
    return {
      v: SYNC_PROTOCOL,
      sdk: `${manifest.name}/${manifest.version}`,
      instance: this.instance,
      host: hostname().slice(0, 255),
      pid: process.pid,
      startedAt: this.#startedAt,
      source: source === 'none' ? 'fallback' : source,
      ...(have && { have }),
      ...(loaded && { servers: loaded.servers, setting: loaded.setting }),
      ...(this.#applyError && { applyError: this.#applyError }),
      ...(unknownScopes.size > 0 && { unknownScopes: [...unknownScopes].map((scope) => scope.slice(0, 255)) }),
      ...(leaving && { leaving }),
      ...(report && { report }),
    }
  }
}

/** Why a control plane refused a request, from problem details (RFC 9457) if it sends them. */
function refusalText({ status, text }: Reply): string {
  const detail = /"(?:detail|title)"\s*:\s*"([^"]{1,300})"/.exec(text)?.[1]
  const hint =
    status === 401 || status === 403
      ? ' The token is wrong, revoked, or without the scope sync.'
      : status === 404
        ? ' Check that url is that of the control plane.'
        : ''
  return `it answered ${status}${detail === undefined ? '' : ` (${detail})`}.${hint}`
}

function firstIssue({ issues }: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }): string {
  const [first] = issues
  return first === undefined ? 'unknown' : `${first.path.map(String).join('.')}: ${first.message}`
}
