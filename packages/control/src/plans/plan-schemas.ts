import { planSchema } from '@rail/plans/sync-protocol'
import { z } from 'zod'
import { nameSchema, rev, time } from '../base/schemas.js'

/** What a plan is made of. */
export const planBodySchema = planSchema

/** A plan, as it is answered. */
export const storedPlanSchema = z.object({ name: nameSchema, ...planSchema.shape, rev, changedAt: time })

/** The settings, as they are answered. */
export const settingsSchema = z.object({
  servers: z
    .enum(['each', 'split'])
    .describe('Rate limits across servers: each enforces the whole limit, or its share.'),
  defaultPlan: z.string().nullable().describe('The plan of customers who have none; null: they have no limit.'),
  rev,
})

/** What may be set; what is left out stays. */
export const settingsBodySchema = z.strictObject(settingsSchema.omit({ rev: true }).partial().shape)

/** A plan as it is stored. */
export type StoredPlan = z.infer<typeof storedPlanSchema>

/** What a plan is made of: its limits and its scopes. */
export type PlanBody = z.infer<typeof planBodySchema>

/** The settings. */
export type Settings = z.infer<typeof settingsSchema>
