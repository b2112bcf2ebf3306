import { z } from 'zod'
import { PROBLEM_CODES } from '../base/problem.js'

/** An error, as problem details (RFC 9457). */
export const problemSchema = z.object({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(PROBLEM_CODES as [string, ...string[]]).describe('For programs. It never changes.'),
  errors: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .describe('Every fault, with its place.'),
})
