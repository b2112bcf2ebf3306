import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyReply } from 'fastify'
import { codeForStatus, Problem } from '../base/problem.js'
import { sqliteFault } from '../store/sqlite.js'
import type { App } from './route-context.js'

/** Answers every error with problem details. Errors that are not the caller's fault are reported to `onError`. */
export function answerErrors(app: App, onError: (error: unknown) => void): void {
  app.setErrorHandler((error, _request, reply) => {
    const problem = problemFor(error)
    if (problem.status >= 500) onError(error)
    sendProblem(reply, problem)
  })
  app.setNotFoundHandler((request, reply) => {
    sendProblem(reply, new Problem('not_found', `There is no route ${request.method} ${request.url.split('?')[0]}.`))
  })
}

/** The problem for an error. It has no details of our own faults. */
export function problemFor(error: unknown): Problem {
  if (error instanceof Problem) return error
  const fault = sqliteFault(error)
  if (fault === 'full' || fault === 'read-only') {
    return new Problem('storage', 'Cannot write the database: the disk is full or read-only. Nothing was changed.')
  }
  if (fault === 'busy')
    return new Problem('busy', 'The database is locked by another process. Nothing was changed. Try again.')
  const { statusCode, message } = Object(error) as { statusCode?: unknown; message?: unknown }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new Problem(codeForStatus(statusCode), String(message), undefined, statusCode)
  }
  return new Problem('failed', 'Internal error. See the log of the control plane.')
}

/** Answers bytes that are not HTTP, which no route sees. */
export function answerBrokenRequest(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const statusCode = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
  const text = problemText(problemFor(Object.assign(error, { statusCode })))
  socket.end(
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\nConnection: close\r\n` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}

/** Sends a problem. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer')
  if (problem.status === 503) reply.header('retry-after', '1')
  reply.code(problem.status).type('application/problem+json').send(problemText(problem))
}

/** A problem as it is sent. */
export function problemText({ status, code, message, errors }: Problem): string {
  return JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail: message, code, errors })
}
