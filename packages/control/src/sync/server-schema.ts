import { z } from 'zod'
import { time } from '../base/schemas.js'

/** A server, as it last reported. */
export const serverSchema = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.int().min(0),
  sdk: z.string(),
  startedAt: z.int().min(0).describe("Epoch milliseconds, by the server's own clock."),
  firstSync: time,
  lastSync: time,
  epoch: z.string().nullable(),
  rev: z.int().min(0).nullable().describe('What it has applied; null: nothing yet.'),
  isCurrent: z.boolean().describe('Whether that is the latest.'),
  source: z.enum(['live', 'disk', 'fallback']).describe('Where its limits come from.'),
  applyError: z
    .object({ epoch: z.string(), rev: z.int().min(0), message: z.string() })
    .nullable()
    .describe('Why it refused the last payload; the limits before it are still in force there.'),
  unknownScopes: z.array(z.string()).describe('Scopes that its program asks for and no plan has.'),
  state: z
    .enum(['running', 'silent', 'left', 'gone'])
    .describe(
      'silent: it has missed three syncs, and is counted. left: it said goodbye. gone: it is no longer counted.',
    ),
  counted: z.boolean().describe('Whether limits are split over it.'),
  countedUntil: time.describe('Ten minutes after its last sync, or its goodbye.'),
  leftAt: time.nullable().describe('When it said goodbye.'),
})

/** A server, as it last reported. */
export type ServerInfo = Omit<z.infer<typeof serverSchema>, 'state' | 'counted' | 'isCurrent'>
