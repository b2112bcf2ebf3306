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

/** Overrides: the way to raise one customer's limit, for a while or for good. */
export function overrideRoutes(app: App, { db, clock }: RouteContext): void {
  app.patch('/v1/customers/:id/overrides', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Set overrides of a customer by the name of the limit, and take back those that are null',
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
        ([name, said]) => [name, said === null ? null : stored(said, name, by)] as const,
      )
      const customer = patchOverrides(db, params.id, Object.fromEntries(patch), precondition, by)
      return tagged(reply, { ...customer, effective: effectiveFor(db, customer, by.at) })
    },
  })
}

/** An override as it is stored: with the moment it ends rather than for how long it holds, and with its author. */
function stored(said: OverridePatch, name: string, { author, at }: { author: string; at: number }): OverrideBody {
  if (typeof said !== 'object') return { tokens: said, author }
  const { for: duration, ...override } = said
  if (duration !== undefined && override.expires !== undefined) {
    throw invalid(`${name}.for`, 'An override holds for a while or expires at a moment; say one of the two.')
  }
  const expires = duration === undefined ? override.expires : at + msOf(duration, name)
  // Parsed for the order of its fields, so that the same override is the same text wherever it comes from.
  return overrideSchema.parse({ author, ...override, expires })
}

function msOf(duration: string, name: string): number {
  try {
    // Checked right here: core's type is narrower than what a client may send.
    return durationMs(duration as Duration)
  } catch (error) {
    if (error instanceof RailError) throw invalid(`${name}.for`, error.message)
    throw error
  }
}

function invalid(path: string, message: string): Problem {
  return new Problem('invalid', message, [{ path, message }])
}
