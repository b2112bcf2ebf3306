import type { Call } from './call.js'
import type { ClientError } from './client-error.js'
import type { WaitReason } from './hold.js'

/** A request waits before it is sent. */
export interface WaitEvent {
  readonly call: Call
  readonly scope: string
  readonly reason: WaitReason
  /** Milliseconds until the first in the queue may go, as far as is known; those before this one in the queue come on top. */
  readonly waitMs: number
  /** How many are in the queue before it. */
  readonly ahead: number
}

/** A request is going to be sent again. */
export interface RetryEvent {
  readonly call: Call
  readonly scope: string
  /** 1 for the first retry. */
  readonly retry: number
  /** What failed: the response, whose body belongs to the client, or what `fetch` threw. */
  readonly response: Response | undefined
  readonly error: unknown
  /** Milliseconds to wait at least. */
  readonly waitMs: number
}

/**
 * Why a request is not tried again: the wait is longer than `maxWait`; its problem type is one of `quotaTypes`; the queue
 * is full; `retries` or `retryBudget` are used up; it is not safe to repeat; its body, a stream, is gone.
 */
export type GiveUpReason = 'wait' | 'quota' | 'queue' | 'retries' | 'budget' | 'unsafe' | 'stream'

/** A request was refused or failed, and is not tried again. */
export interface GiveUpEvent {
  readonly call: Call
  readonly scope: string
  readonly reason: GiveUpReason
  /** What the caller gets: a response, or what is thrown. */
  readonly response: Response | undefined
  readonly error: ClientError | unknown
}

/** What a client tells of itself. An error in one of them is dropped: it never reaches a request. */
export interface Hooks {
  readonly onWait?: ((event: WaitEvent) => void) | undefined
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
  readonly onGiveUp?: ((event: GiveUpEvent) => void) | undefined
}

/** Calls a hook, whatever it does. */
export function tell<Event>(hook: ((event: Event) => void) | undefined, event: Event): void {
  try {
    hook?.(event)
  } catch {
    // Documented: what watches a request must not break it.
  }
}
