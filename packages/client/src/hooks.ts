import type { Call } from './call.js'
import type { ClientError } from './client-error.js'
import type { WaitReason } from './hold.js'

/** A request waits before it is sent. */
export interface WaitEvent {
  readonly call: Call
  readonly scope: string
  readonly reason: WaitReason
  /** Milliseconds until the first call in the queue may be sent, as known now. Calls before this one add to it. */
  readonly waitMs: number
  /** The number of calls before it in the queue. */
  readonly ahead: number
}

/** A request will be sent again. */
export interface RetryEvent {
  readonly call: Call
  readonly scope: string
  /** 1 for the first retry. */
  readonly retry: number
  /** The response that failed, whose body belongs to the client; `undefined` if `fetch` threw {@link error}. */
  readonly response: Response | undefined
  readonly error: unknown
  /** The least wait, in milliseconds. */
  readonly waitMs: number
}

/**
 * Why a request is not sent again. `'wait'`: the wait is longer than `maxWait`. `'quota'`: its problem type is one of
 * `quotaTypes`. `'queue'`: the queue is full. `'retries'`, `'budget'`: `retries` or `retryBudget` are used up. `'unsafe'`: it is
 * not safe to repeat. `'stream'`: its body is a stream that has been read.
 */
export type GiveUpReason = 'wait' | 'quota' | 'queue' | 'retries' | 'budget' | 'unsafe' | 'stream'

/** A request was refused or failed, and is not sent again. */
export interface GiveUpEvent {
  readonly call: Call
  readonly scope: string
  readonly reason: GiveUpReason
  /** The response that the caller gets; `undefined` if {@link error} is thrown. */
  readonly response: Response | undefined
  readonly error: ClientError | unknown
}

/** Functions that a client calls. An error in one of them is ignored: it never reaches a request. */
export interface Hooks {
  readonly onWait?: ((event: WaitEvent) => void) | undefined
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
  readonly onGiveUp?: ((event: GiveUpEvent) => void) | undefined
}

/** Calls a hook, and ignores its errors. */
export function callHook<Event>(hook: ((event: Event) => void) | undefined, event: Event): void {
  try {
    hook?.(event)
  } catch {
    // Documented: a hook must not make a request fail.
  }
}
