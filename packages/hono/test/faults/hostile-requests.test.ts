import { getRequestListener } from '@hono/node-server'
import { listen, testHostileRequests } from '@rail/conformance'
import { fetchFor } from '@rail/conformance/scenarios'
import { app } from '../app.js'

testHostileRequests({ name: 'Hono 4 on Node', start: () => listen(getRequestListener(fetchFor(app))) })
