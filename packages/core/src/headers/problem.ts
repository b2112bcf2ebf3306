import { advice } from '../base/advice.js'
import { checkOption, checkOptionNames, isBoolean, isFunction, isString } from '../base/check.js'
import { hookError, unexpected } from '../base/errors.js'
import { isPromise } from '../base/maybe-promise.js'
import { adviceOnName } from '../base/suggestion.js'
import type { Decision } from '../bucket/decision.js'
import type { OnReject, RejectReply } from './reject.js'

/** The members of one kind of problem (RFC 9457 section 3.1). `status` is always the response's own. */
export interface ProblemMembers<Request> {
  /** A URI reference that identifies the kind of problem. @default 'about:blank' */
  readonly type?: string | undefined
  /** The name of the kind of problem, the same for every occurrence. @default the name of the status */
  readonly title?: string | undefined
  /** An explanation for people. Left out where it is or returns `undefined`. */
  readonly detail?: string | ((request: Request, decision: Decision) => string | undefined) | undefined
}

/** The options of {@link problem}. `type`, `title` and `detail` are those of a 429. */
export interface ProblemOptions<Request> extends ProblemMembers<Request> {
  /** The members of a 422, which a wait cannot help. Its body has `most` too, the largest cost that fits. */
  readonly tooLarge?: ProblemMembers<Request> | undefined
  /** A URI reference to this occurrence, such as the request's path. Left out where it is or returns `undefined`. */
  readonly instance?: string | ((request: Request) => string | undefined) | undefined
  /**
   * Whether `violated-policies`, the names of the limits that refused, is a member (draft-ietf-httpapi-ratelimit-headers-11
   * section 5). @default true
   */
  readonly violatedPolicies?: boolean | undefined
}

/**
 * Problem details (RFC 9457) as the body of refusals, for the option `onReject`: `application/problem+json`. When the store
 * has failed, the problem is "Temporary Reduced Capacity", whatever the options say of a limit. A member is left out, and
 * reported to `onError`, if its function throws or returns anything but a string.
 *
 * @example
 * rateLimit({ identify, limits, onReject: problem({ detail: 'See https://api.example/limits.' }) })
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION` for wrong options
 */
export function problem<Request>(options: ProblemOptions<Request> = {}): OnReject<Request> {
  checkMembers(options, 'problem()', [...MEMBERS, ...OTHERS])
  const { instance, violatedPolicies = true, tooLarge = {} } = options
  checkMembers(tooLarge, 'problem().tooLarge', MEMBERS)
  return ({ status, most, decision }, request, report) => {
    const member = (name: string, value: string | (() => unknown) | undefined): string | undefined =>
      stringOf(`${name}()`, value, report)
    const where = member('problem().instance', typeof instance === 'function' ? () => instance(request) : instance)
    if (decision === undefined) return replyOf({ ...REDUCED_CAPACITY, status, instance: where })
    const isTooLarge = status === 422
    const {
      type = 'about:blank',
      title = isTooLarge ? 'Unprocessable Content' : 'Too Many Requests',
      detail,
    } = isTooLarge ? tooLarge : options
    const subject = isTooLarge ? 'problem().tooLarge.detail' : 'problem().detail'
    return replyOf({
      type,
      title,
      status,
      detail: member(subject, typeof detail === 'function' ? () => detail(request, decision) : detail),
      instance: where,
      most,
      'violated-policies': violatedPolicies ? decision.refusedBy : undefined,
    })
  }
}

function checkMembers<Options extends object>(options: Options, where: string, checks: readonly Check[]): void {
  const names = checks.map(([name]) => name)
  checkOptionNames(options, names, where, adviceOnMember)
  for (const [name, expected, passes] of checks) {
    checkOption(`${where}.${name}`, options[name as keyof Options], expected, passes)
  }
}

function stringOf(
  subject: string,
  member: string | (() => unknown) | undefined,
  report: (error: unknown) => void,
): string | undefined {
  try {
    const value = typeof member === 'function' ? member() : member
    if (value === undefined || typeof value === 'string') return value
    // A promise comes too late for a body; a rejection that nobody handles would end a Node process.
    if (isPromise(value)) value.then(undefined, () => {})
    throw unexpected('RAIL_BAD_OPTION', subject, 'a string or undefined', value)
  } catch (cause) {
    report(hookError(subject, cause, 'The problem was sent without it.'))
    return undefined
  }
}

/** A refusal in place of options: `problem` itself was given as `onReject`. */
function adviceOnMember(name: string, known: readonly string[]): string | undefined {
  return name === 'status' ? advice('Call it: onReject: problem().') : adviceOnName(name, known)
}

/** draft-ietf-httpapi-ratelimit-headers-11 section 5.2. */
const REDUCED_CAPACITY = {
  type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
  title: 'Temporary Reduced Capacity',
}

function replyOf(members: object): RejectReply {
  return { type: 'application/problem+json', text: JSON.stringify(members) }
}

/** The characters of RFC 3986 sections 2.2 and 2.3, and `%`. */
const isUriReference = (value: unknown): boolean =>
  typeof value === 'string' && /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(value)

type Check = readonly [name: keyof ProblemOptions<unknown>, expected: string, passes: (value: unknown) => boolean]

const MEMBERS: readonly Check[] = [
  ['type', 'a URI reference', isUriReference],
  ['title', 'a string', isString],
  ['detail', 'a string, or a function that returns one', (value) => isString(value) || isFunction(value)],
]

const OTHERS: readonly Check[] = [
  ['tooLarge', 'an object with type, title or detail', (value) => typeof value === 'object' && value !== null],
  ['instance', 'a URI reference, or a function', (value) => isFunction(value) || isUriReference(value)],
  ['violatedPolicies', 'true or false', isBoolean],
]
