import { z } from 'zod'
import { time } from '../base/schemas.js'

/** A server, as of its last sync. */
export const serverSchema = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.int().min(0),
  sdk: z.string(),
  startedAt: z.int().min(0).describe("Epoch milliseconds, by the server's own clock."),
  firstSync: time,
  lastSync: time,
  epoch: z.string().nullable(),
  rev: z.int().min(0).nullable().describe('The revision that it has applied. null: none yet.'),
  isCurrent: z.boolean().describe('Whether that is the latest revision.'),
  source: z.enum(['live', 'disk', 'fallback']).describe('Where its limits come from.'),
  applyError: z
    .object({ epoch: z.string(), rev: z.int().min(0), message: z.string() })
    .nullable()
    .describe('Why it refused the last payload. It still enforces the limits it had before.'),
  unknownScopes: z.array(z.string()).describe('Scopes that its program uses and no plan has.'),
  state: z
    .enum(['running', 'silent', 'left', 'gone'])
    .describe('silent: it missed three syncs and is still counted. left: it shut down. gone: it is no longer counted.'),
  counted: z.boolean().describe('Whether it has a share of split limits.'),
  countedUntil: time.describe('Ten minutes after its last sync, or the time it left.'),
  leftAt: time.nullable().describe('When it left.'),
})

/** A server, as of its last sync. */
export type ServerInfo = Omit<z.infer<typeof serverSchema>, 'state' | 'counted' | 'isCurrent'>
