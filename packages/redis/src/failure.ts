import type { RailError } from '@rail/core'
import { railError } from '@rail/core/store'

/** The error of an operation that failed: a fact without its full stop, and what to do where that is known. */
export function storeFailure(fact: string, cause?: unknown, toDo = adviceOn(fact)): RailError {
  return railError('RAIL_STORE_FAILED', fact, toDo, cause === undefined ? undefined : { cause })
}

/** The error of an operation to which Redis, or its client, replied with an error. */
export function replyFailure(expected: string, text: string, cause?: unknown): RailError {
  // The script adds its command behind Redis's full stop.
  return storeFailure(`${expected}, got an error: ${text.replace(/\.( \(\w+\))?$/, '$1')}`, cause)
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  // Inside a script Redis does not say NOPERM.
  [
    /NOPERM|executing the script can't/,
    'Allow the Redis user ~rail:* (the prefix) +get +set +del +eval +evalsha +time.',
  ],
  // Redis says the second where a command without a login has many words.
  [/NOAUTH|unauthenticated/, 'Redis wants a login (NOAUTH): give the client a password.'],
  [/WRONGPASS/, "Correct the client's username and password."],
]

function adviceOn(text: string): string | undefined {
  return ADVICE.find(([pattern]) => pattern.test(text))?.[1]
}

/** Whether Redis refused a login, or wants one. */
export function isOfLogin(text: string): boolean {
  return /NOAUTH|WRONGPASS|unauthenticated/.test(text)
}

/** What an error says, without its full stop. Some errors of node-redis have a class and no message. */
export function messageOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message || cause.constructor.name : String(cause)).replace(/\.$/, '')
}
