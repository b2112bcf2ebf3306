/** The types of Snip's problems are below this. */
export const ERRORS = 'https://api.snip.example/errors/'

/** An answer that is a problem (RFC 9457). */
export class Problem extends Error {
  readonly status: number
  readonly body: { readonly type: string; readonly title: string; readonly status: number; readonly detail: string }

  constructor(status: number, type: string, title: string, detail: string) {
    super(detail)
    this.status = status
    this.body = { type: ERRORS + type, title, status, detail }
  }
}

/** Any error as a problem. What is not ours to tell is kept to ourselves. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { statusCode = 500, message } = error as { statusCode?: number; message: string }
  if (statusCode < 500) return new Problem(statusCode, 'bad-request', 'Bad request', message)
  return new Problem(500, 'internal', 'Internal error', 'Something went wrong here. Try again.')
}
