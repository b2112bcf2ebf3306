import { serve } from '@hono/node-server'
import { createFetch } from './served.js'

serve({ fetch: createFetch(), hostname: '127.0.0.1', port: 0 }, ({ port }) => console.log(`port ${port}`))
