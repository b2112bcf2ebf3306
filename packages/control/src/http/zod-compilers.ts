import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { z } from 'zod'
import { type Fault, Problem } from '../base/problem.js'

/** Validates parts of requests by their zod schemas. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data: unknown) => {
    const { success, data: value, error } = schema.safeParse(data)
    return success ? { value } : { error: problemOf(error, httpPart ?? 'body') }
  }

/** Replies are typed by their schemas, and tests hold every one against them; here they are only written out. */
export const serializerCompiler: FastifySerializerCompiler<z.ZodType> = () => (data) => JSON.stringify(data)

function problemOf(error: z.ZodError, part: string): Problem {
  const errors = error.issues.flatMap(faultsOf).slice(0, 100)
  const where = errors[0]?.path ? `${errors[0].path}: ` : ''
  const whose = part === 'body' ? 'What was sent' : `The request's ${part}`
  return new Problem('invalid', `${whose} is not right: ${where}${errors[0]?.message}`, errors)
}

/** One issue as faults; of a union, the faults of the form that comes closest. */
function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  const path = issue.path.join('.')
  if (issue.code !== 'invalid_union') return [{ path, message: issue.message }]
  const closest = issue.errors
    .filter((forms) => forms.some((one) => one.path.length > 0))
    .sort((a, b) => a.length - b.length)[0]
  if (closest === undefined) return [{ path, message: issue.message }]
  return closest.flatMap(faultsOf).map((fault) => ({ ...fault, path: [path, fault.path].filter(Boolean).join('.') }))
}
