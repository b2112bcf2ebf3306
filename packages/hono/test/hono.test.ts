import { getRequestListener } from '@hono/node-server'
import { listen, testAdapter } from '@rail/conformance'
import { createFetch } from './app.js'

testAdapter({
  name: 'Hono 4 on Node',
  start: () => listen(getRequestListener(createFetch())),
  cannot: ['thrown-text'],
})
