import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { z } from 'zod'
import { Problem } from '../base/problem.js'
import { shapeFaults } from '../base/shape-faults.js'

/** Validates parts of requests by their zod schemas. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart = 'body' }) =>
  (data: unknown) => {
    const { success, data: value, error } = schema.safeParse(data)
    if (success) return { value }
    const faults = shapeFaults(error, data)
    const [{ path, message } = { path: '', message: 'invalid.' }] = faults
    return { error: new Problem('invalid', `${path || WHOLE[httpPart] || httpPart}: ${message}`, faults) }
  }

/** Replies are typed by their schemas, and tests check every one against them. Here they are only serialized. */
export const serializerCompiler: FastifySerializerCompiler<z.ZodType> = () => (data) => JSON.stringify(data)

/** The subject of a sentence about a whole part of a request. */
const WHOLE: Partial<Record<string, string>> = {
  body: 'Body',
  querystring: 'Query',
  params: 'Path',
  headers: 'Headers',
}
