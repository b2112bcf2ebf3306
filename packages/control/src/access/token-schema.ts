import { z } from 'zod'
import { nameSchema, time } from '../base/schemas.js'
import { SCOPES } from './token.js'

/** A token, without its secret. */
export const tokenSchema = z.object({
  selector: z.string().describe("Names the token: the part after the scope in the token's text."),
  scope: z.enum(SCOPES),
  label: nameSchema,
  createdAt: time,
  usedAt: time.nullable().describe('When it was last used, to the hour.'),
})

/** A token as it is listed: what it may do and how it was used, never its secret. */
export type TokenInfo = z.infer<typeof tokenSchema>
