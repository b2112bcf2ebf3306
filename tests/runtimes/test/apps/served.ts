import { fetchFor } from '@rail/conformance/scenarios'
import { app } from '../../../../packages/hono/test/app.js'
import { createFetch as createClientFetch } from './client.js'
import { createFetch as createKeysFetch } from './keys.js'

/** Set when an app is bundled: what it serves. */
declare const SERVED: Served

/** The app of the conformance suite, one that calls a server through `@rail/client`, or one that checks API keys. */
export type Served = 'hono' | 'client' | 'keys'

const apps = { hono: () => fetchFor(app), client: createClientFetch, keys: createKeysFetch }

export const createFetch = apps[SERVED]
