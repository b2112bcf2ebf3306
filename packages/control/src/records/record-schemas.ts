import { z } from 'zod'
import { time } from '../base/schemas.js'

/** A change, as it was made. */
export const changeSchema = z.object({
  number: z.int().min(1).describe('Counts up over all changes.'),
  rev: z.int().min(0),
  at: time,
  author: z.string().min(1).max(255),
  kind: z.enum(['plan', 'customer', 'setting', 'token', 'server']),
  id: z.string(),
  before: z.unknown().describe('null: it was not there.'),
  after: z.unknown().describe('null: it is gone.'),
})

/** What a customer did. */
export const usageSchema = z.object({
  customer: z.string(),
  allowed: z.int().min(0).describe('Requests that were let in.'),
  refused: z.int().min(0).describe('Requests that were refused: never billable.'),
  peakPerSecond: z.int().min(0).describe('The most requests in any one second on any one server, refused ones too.'),
  refusedBy: z.record(z.string(), z.int().min(0)).describe('How many of the refused each limit refused.'),
})

/** A change, as it was made. */
export type Change = z.infer<typeof changeSchema>

/** What one customer did in a span of time, on all servers together. */
export type Usage = z.infer<typeof usageSchema>
