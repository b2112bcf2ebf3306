import { z } from 'zod'
import { time } from '../base/schemas.js'

/** A change in the history. */
export const changeSchema = z.object({
  number: z.int().min(1).describe('Grows by one with each change.'),
  rev: z.int().min(0),
  at: time,
  author: z.string().min(1).max(255),
  kind: z.enum(['plan', 'customer', 'setting', 'token', 'server']),
  id: z.string(),
  before: z.unknown().describe('null: it did not exist.'),
  after: z.unknown().describe('null: it was removed.'),
})

/** The requests of a customer. */
export const usageSchema = z.object({
  customer: z.string(),
  allowed: z.int().min(0).describe('Requests that were allowed.'),
  refused: z.int().min(0).describe('Requests that were refused. Never billable.'),
  peakPerSecond: z.int().min(0).describe('The most requests in any one second on any one server, refused ones too.'),
  refusedBy: z.record(z.string(), z.int().min(0)).describe('How many requests each limit refused.'),
})

/** A change in the history. */
export type Change = z.infer<typeof changeSchema>

/** The requests of one customer in a span of time, on all servers together. */
export type Usage = z.infer<typeof usageSchema>
