import { createFetch } from './served.js'

// In the global scope, where Workers forbid timers, randomness and I/O.
const fetch = createFetch()

// biome-ignore lint/style/noDefaultExport: it is what a Worker is.
export default { fetch: (request: Request) => fetch(request) }
