import { z } from 'zod'
import { isStorable, NOT_STORABLE } from './storable.js'

// What the schemas of the rooms have in common. They are the shapes of the admin API: types, validation and the OpenAPI
// document all come from them.

/** A string that SQLite keeps as it is. */
export const text = z.string().refine(isStorable, NOT_STORABLE)

/** The revision of something that is stored. */
export const rev = z
  .int()
  .min(0)
  .describe('The revision of its last change. Send it as If-Match to change only this revision.')

/** A time in an answer. */
export const time = z.int().min(0).describe("Epoch milliseconds, by the control plane's clock.")

/** The name of a plan, or the label of a token. */
export const nameSchema = text.min(1).max(255)

/** The name of a limit, as in the headers. */
export const limitNameSchema = z.string().min(1).max(512)

/** The header with the revision that a change is for. */
export const ifMatchSchema = z.looseObject({
  'if-match': z.string().optional().describe('The revision that this change is for, in quotes: "12".'),
})

/** The headers of a precondition. */
export const preconditionSchema = ifMatchSchema.extend({
  'if-none-match': z.string().optional().describe('*: only if it does not exist yet.'),
})

/** The length of a page. @default 100 */
export const pageSchema = z.coerce.number().int().min(1).max(1_000).default(100)

/** A time in a query: epoch milliseconds. */
export const timeQuerySchema = z.coerce.number().int().min(0)
