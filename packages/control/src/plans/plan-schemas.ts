import { planSchema } from '@rail/plans/sync-protocol'
import { z } from 'zod'
import { nameSchema, rev, time } from '../base/schemas.js'

/** The content of a plan. */
export const planBodySchema = planSchema

/** A plan, in an answer. */
export const storedPlanSchema = z.object({ name: nameSchema, ...planSchema.shape, rev, changedAt: time })

/** The settings, in an answer. */
export const settingsSchema = z.object({
  servers: z
    .enum(['each', 'split'])
    .describe('each: every server enforces the whole limit. split: every server enforces its share.'),
  defaultPlan: z.string().nullable().describe('The plan of customers without one. null: they have no limit.'),
  rev,
})

/** A change of settings. Settings that are left out stay. */
export const settingsBodySchema = z.strictObject(settingsSchema.omit({ rev: true }).partial().shape)

/** A plan as it is stored. */
export type StoredPlan = z.infer<typeof storedPlanSchema>

/** The content of a plan: its limits and its scopes. */
export type PlanBody = z.infer<typeof planBodySchema>

/** The settings. */
export type Settings = z.infer<typeof settingsSchema>
