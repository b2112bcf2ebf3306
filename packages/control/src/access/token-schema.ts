import { z } from 'zod'
import { nameSchema, time } from '../base/schemas.js'
import { SCOPES } from './token.js'

/** A token, without its secret. */
export const tokenSchema = z.object({
  selector: z.string().describe('Names the token: the part of it after its scope.'),
  scope: z.enum(SCOPES),
  label: nameSchema,
  createdAt: time,
  usedAt: time.nullable().describe('When it was last used, to the hour.'),
})

/** A token in a list: its scope and its use, never its secret. */
export type TokenInfo = z.infer<typeof tokenSchema>
