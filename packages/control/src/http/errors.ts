import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyReply } from 'fastify'
import { codeForStatus, Problem } from '../base/problem.js'
import { sqliteFault } from '../store/sqlite.js'
import type { App } from './route-context.js'

/** Has every error answered as problem details. What is no fault of the caller's is told to `onError`. */
export function answerErrors(app: App, onError: (error: unknown) => void): void {
  app.setErrorHandler((error, _request, reply) => {
    const problem = problemFor(error)
    if (problem.status >= 500) onError(error)
    sendProblem(reply, problem)
  })
  app.setNotFoundHandler((request, reply) => {
    sendProblem(reply, new Problem('not_found', `There is no ${request.method} ${request.url.split('?')[0]} here.`))
  })
}

/** The problem that an error comes to. Of what is our own fault, no more is said than that. */
export function problemFor(error: unknown): Problem {
  if (error instanceof Problem) return error
  const fault = sqliteFault(error)
  if (fault === 'full' || fault === 'read-only') {
    return new Problem('storage', 'The database cannot be written: the disk is full or read-only. Nothing was changed.')
  }
  if (fault === 'busy') return new Problem('busy', 'Another process is writing. Nothing was changed; try again.')
  const { statusCode, message } = Object(error) as { statusCode?: unknown; message?: unknown }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new Problem(codeForStatus(statusCode), String(message), undefined, statusCode)
  }
  return new Problem('failed', 'This failed, and it is not your fault. The log of the control plane says why.')
}

/** Answers what is not even HTTP, which no route gets to see. */
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
