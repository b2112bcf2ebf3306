/** What is wrong at one place of a request. */
export interface Fault {
  /** Where: `limits.per_second`, or `line 12` of a CSV file. Empty for the whole. */
  readonly path: string
  readonly message: string
}

/**
 * A request that fails, answered with problem details (RFC 9457): `code` is for programs and never changes, `detail` is
 * for people.
 */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly code: ProblemCode
  readonly errors: readonly Fault[] | undefined

  constructor(code: ProblemCode, detail: string, errors?: readonly Fault[], status: number = STATUS[code]) {
    super(detail)
    this.status = status
    this.code = code
    this.errors = errors
  }
}

const STATUS = {
  invalid: 400,
  no_token: 401,
  bad_token: 401,
  wrong_scope: 403,
  not_found: 404,
  in_use: 409,
  stale: 412,
  too_large: 413,
  wrong_type: 415,
  failed: 500,
  busy: 503,
  storage: 507,
} as const

/** The stable name of a problem. */
export type ProblemCode = keyof typeof STATUS

/** All stable names, for the OpenAPI document. */
export const PROBLEM_CODES = Object.keys(STATUS) as ProblemCode[]

/** The code for a status of the framework's or the network's own. */
export function codeForStatus(status: number): ProblemCode {
  return PROBLEM_CODES.find((code) => STATUS[code] === status) ?? (status < 500 ? 'invalid' : 'failed')
}
