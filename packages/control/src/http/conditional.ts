import type { FastifyReply } from 'fastify'
import { Problem } from '../base/problem.js'
import type { Author } from '../records/history.js'
import type { Precondition } from '../store/precondition.js'
import { authorOf, type RouteContext } from './route-context.js'

/** Answers with something that is stored, and its revision as the ETag. */
export function tagged<Stored extends { readonly rev: number }>(reply: FastifyReply, stored: Stored): Stored {
  reply.header('etag', `"${stored.rev}"`)
  return stored
}

/** The last two arguments of every change: its precondition, and who makes it. @throws Problem `invalid` */
export function changeOf(
  request: { readonly headers: ConditionalHeaders } & Parameters<typeof authorOf>[0],
  clock: RouteContext['clock'],
): [precondition: Precondition, by: Author] {
  return [preconditionOf(request.headers), authorOf(request, clock)]
}

/** The headers of a precondition. */
interface ConditionalHeaders {
  readonly 'if-match'?: string | undefined
  readonly 'if-none-match'?: string | undefined
}

/** Reads the precondition of a request. @throws Problem `invalid` */
function preconditionOf(headers: ConditionalHeaders): Precondition {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers
  if (noneMatch === '*') return 'absent'
  if (match === undefined || match === '*') return undefined
  // A proxy that compresses answers turns the tag into a weak one.
  const [, rev] = /^(?:W\/)?"(\d{1,15})"$/.exec(match.trim()) ?? []
  if (rev === undefined)
    throw new Problem('invalid', `If-Match: expected a revision in quotes such as "12", got ${match}.`)
  return { rev: Number(rev) }
}
