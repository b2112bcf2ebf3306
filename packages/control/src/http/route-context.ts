import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyBaseLogger, FastifyInstance, FastifyTypeProvider, RawServerDefault } from 'fastify'
import type { z } from 'zod'
import type { Scope } from '../access/token.js'
import type { TokenInfo } from '../access/token-schema.js'
import type { Author } from '../records/history.js'
import type { Counting } from '../records/reports.js'
import type { Database } from '../store/database.js'

/** Types of requests and replies from their zod schemas. */
export interface ZodTypes extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
  /** Or bytes that are already serialized. */
  serializer: this['schema'] extends z.ZodType ? z.input<this['schema']> | Buffer | Readable : unknown
}

/** Our Fastify. */
export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypes>

/** What routes need. */
export interface RouteContext {
  readonly db: Database
  /** Epoch milliseconds. */
  readonly clock: () => number
  readonly counting: Counting
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a token needs for this route. `'none'`: no token is needed. Every route has one. */
    scope?: Scope | 'none'
  }
  interface FastifyRequest {
    /** The token that was sent, `null` where none is needed. */
    token: TokenInfo | null
  }
  interface FastifySchema {
    /** One line for the OpenAPI document. */
    summary?: string
    tags?: readonly string[]
  }
}

/** The author of a request's changes, for the history. */
export function authorOf(request: { token: TokenInfo | null }, clock: () => number): Author {
  return { author: request.token?.label ?? 'nobody', at: clock() }
}
