import { getRequestListener } from '@hono/node-server'
import { listen, testHostileRequests } from '@rail/conformance'
import { createFetch } from '../app.js'

testHostileRequests({ name: 'Hono 4 on Node', start: () => listen(getRequestListener(createFetch())) })
