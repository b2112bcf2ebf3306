import { fetchFor } from '@rail/conformance/scenarios'
import { app } from '../../../../packages/hono/test/app.js'
import { createFetch as createClientFetch } from './client.js'
import { createFetch as createClockFetch } from './clock.js'
import { createFetch as createKeysFetch } from './keys.js'

/** Set when an app is bundled: what it serves. */
declare const SERVED: Served

/**
 * The app of the conformance suite, one that calls a server through `@rail/client`, one that checks API keys, or one whose
 * clock is the runtime's.
 */
export type Served = 'hono' | 'client' | 'keys' | 'clock'

const apps = { hono: () => fetchFor(app), client: createClientFetch, keys: createKeysFetch, clock: createClockFetch }

export const createFetch = apps[SERVED]
