import { createFetch as createHonoFetch } from '../../../../packages/hono/test/app.js'
import { createFetch as createClientFetch } from './client.js'

/** Set when an app is bundled: what it serves. */
declare const SERVED: Served

/** The app of the conformance suite, or one that calls a server through `@rail/client`. */
export type Served = 'hono' | 'client'

export const createFetch = SERVED === 'client' ? createClientFetch : createHonoFetch
