import { checkOption, checkOptionNames } from '../base/check.js'
import { RailError, SEE_CAUSE, shown } from '../base/errors.js'
import { isPromise } from '../base/maybe-promise.js'
import type { Decision } from '../bucket/decision.js'
import { type BareRefusal, type BodyMaker, jsonBody } from './refusal.js'

/** The option `body`: the default JSON, problem details (RFC 9457), or problem details of your own. */
export type RefusalBody<Request> = 'json' | 'problem' | { readonly problem: ProblemOptions<Request> }

/** The members of a problem (RFC 9457 section 3.1). `status` is always the response's own. */
export interface ProblemOptions<Request> {
  /** A URI reference that names the kind of problem. @default 'about:blank' */
  readonly type?: string | undefined
  /** What the kind of problem is called: the same for every occurrence. @default 'Too Many Requests' */
  readonly title?: string | undefined
  /** What happened here and what helps, for a person. Left out where it is or returns `undefined`. */
  readonly detail?: string | ((request: Request, decision: Decision) => string | undefined) | undefined
  /** A URI reference to this occurrence, for instance the request's path. Left out where it is or returns `undefined`. */
  readonly instance?: string | ((request: Request) => string | undefined) | undefined
  /**
   * Whether `violated-policies`, the names of the limits that refused, is a member (draft-ietf-httpapi-ratelimit-headers-11
   * section 5). @default true
   */
  readonly violatedPolicies?: boolean | undefined
}

/** Checks the option `body`. @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION` */
export function checkBody(body: unknown): void {
  if (body === undefined || body === 'json' || body === 'problem') return
  if (typeof body !== 'object' || body === null) {
    throw new RailError(
      'RAIL_BAD_OPTION',
      `The option body is 'json', 'problem' or { problem: { … } }, got ${shown(body)}. Give one, or leave it out.`,
    )
  }
  checkOptionNames(body, ['problem'], 'The option body')
  const { problem } = body as { problem?: unknown }
  checkProblem(problem, 'The option body.problem', 'body.problem.')
}

function checkProblem(problem: unknown, where: string, path: string): void {
  checkOptionNames(
    problem,
    CHECKS.map(([name]) => name),
    where,
  )
  for (const [name, expected, passes] of CHECKS) {
    checkOption(`${path}${name}`, (problem as ProblemOptions<unknown>)[name], expected, passes)
  }
}

/** What makes a refusal's body, by the option. `tell` is told where a function of the user's fails. */
export function bodyMaker<Request>(
  body: RefusalBody<Request> | undefined,
  request: Request,
  tell: (error: unknown) => void,
): BodyMaker {
  if (body === undefined || body === 'json') return jsonBody
  return problemMaker(body === 'problem' ? {} : body.problem, request, tell)
}

/**
 * Bodies of the media type `application/problem+json` (RFC 9457). When the store has failed the problem is
 * "Temporary Reduced Capacity", whatever the options say of a limit. A member whose function throws, or returns anything
 * but text, is left out and `tell` is told.
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION` for wrong options
 */
export function problemBody<Request>(
  options: ProblemOptions<Request>,
  request: Request,
  tell: (error: unknown) => void = () => {},
): BodyMaker {
  checkProblem(options, 'problemBody()', '')
  return problemMaker(options, request, tell)
}

function problemMaker<Request>(
  options: ProblemOptions<Request>,
  request: Request,
  tell: (error: unknown) => void,
): BodyMaker {
  const { type = 'about:blank', title = 'Too Many Requests', detail, instance, violatedPolicies = true } = options
  const textOf = (name: string, member: string | (() => unknown) | undefined): string | undefined => {
    try {
      const text = typeof member === 'function' ? member() : member
      if (text === undefined || typeof text === 'string') return text
      // A promise comes too late for a body; one that rejects unheard would end a Node process.
      if (isPromise(text)) text.then(undefined, () => {})
      throw new RailError('RAIL_BAD_OPTION', `It returns a text or undefined, got ${shown(text)}. Return one.`)
    } catch (cause) {
      const message = `body.problem.${name} failed; the problem was sent without it. ${SEE_CAUSE}`
      tell(new RailError('RAIL_HOOK_FAILED', message, { cause }))
      return undefined
    }
  }
  return ({ status, decision }: BareRefusal) => {
    const where = textOf('instance', typeof instance === 'function' ? () => instance(request) : instance)
    if (decision === undefined) return bodyOf({ ...REDUCED_CAPACITY, status, instance: where })
    return bodyOf({
      type,
      title,
      status,
      detail: textOf('detail', typeof detail === 'function' ? () => detail(request, decision) : detail),
      instance: where,
      'violated-policies': violatedPolicies ? decision.refusedBy : undefined,
    })
  }
}

/** draft-ietf-httpapi-ratelimit-headers-11 section 5.2. */
const REDUCED_CAPACITY = {
  type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
  title: 'Temporary Reduced Capacity',
}

function bodyOf(members: object): ReturnType<BodyMaker> {
  return { type: 'application/problem+json', body: JSON.stringify(members) }
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isTextOrFunction = (value: unknown): boolean => isText(value) || typeof value === 'function'
/** The characters of RFC 3986 sections 2.2 and 2.3, and `%`. */
const isUriReference = (value: unknown): boolean =>
  typeof value === 'string' && /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(value)

const CHECKS: readonly (readonly [keyof ProblemOptions<unknown>, string, (value: unknown) => boolean])[] = [
  ['type', 'a URI reference', isUriReference],
  ['title', 'a text', isText],
  ['detail', 'a text, or a function that returns one', isTextOrFunction],
  [
    'instance',
    'a URI reference, or a function that returns one',
    (value) => typeof value === 'function' || isUriReference(value),
  ],
  ['violatedPolicies', 'true or false', (value) => typeof value === 'boolean'],
]
