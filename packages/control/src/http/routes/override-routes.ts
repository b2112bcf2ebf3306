import { type Duration, durationMs, RailError } from '@rail/core'
import { z } from 'zod'
import { Problem } from '../../base/problem.js'
import { limitNameSchema, preconditionSchema } from '../../base/schemas.js'
import {
  customerDetailSchema,
  customerIdSchema,
  type OverrideBody,
  overridePatchSchema,
  overrideSchema,
} from '../../customers/customer-schemas.js'
import { patchOverrides } from '../../customers/customers.js'
import { effectiveFor } from '../../customers/effective.js'
import { changeOf, tagged } from '../conditional.js'
import type { App, RouteContext } from '../route-context.js'

type OverridePatch = z.infer<typeof overridePatchSchema>

/** Overrides: change one customer's limit, for a while or for good. */
export function overrideRoutes(app: App, { db, clock }: RouteContext): void {
  app.patch('/v1/customers/:id/overrides', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Set overrides of a customer by the name of the limit, and remove those that are null',
      tags: ['customers'],
      params: z.object({ id: customerIdSchema }),
      headers: preconditionSchema,
      body: z.record(limitNameSchema, overridePatchSchema.nullable()),
      response: { 200: customerDetailSchema },
    },
    handler: (request, reply) => {
      const { params, body } = request
      const [precondition, by] = changeOf(request, clock)
      const patch = Object.entries(body).map(
        ([name, one]) => [name, one === null ? null : stored(one, name, by)] as const,
      )
      const customer = patchOverrides(db, params.id, Object.fromEntries(patch), precondition, by)
      return tagged(reply, { ...customer, effective: effectiveFor(db, customer, by.at) })
    },
  })
}

/** An override as it is stored: with its end in place of its duration, and with its author. */
function stored(patch: OverridePatch, name: string, { author, at }: { author: string; at: number }): OverrideBody {
  if (typeof patch !== 'object') return { tokens: patch, author }
  const { for: duration, ...override } = patch
  if (duration !== undefined && override.expires !== undefined) {
    throw invalid(`${name}.for`, 'expected for or expires, got both. Remove one.')
  }
  const expires = duration === undefined ? override.expires : at + msOf(duration, name)
  // Parsed for the order of its fields: an equal override is then the same JSON wherever it comes from.
  return overrideSchema.parse({ author, ...override, expires })
}

function msOf(duration: string, name: string): number {
  try {
    // Core's type is narrower than what a client may send, and its check is this call.
    return durationMs(duration as Duration)
  } catch (error) {
    if (error instanceof RailError) throw invalid(`${name}.for`, error.message)
    throw error
  }
}

function invalid(path: string, message: string): Problem {
  return new Problem('invalid', `${path}: ${message}`, [{ path, message }])
}
