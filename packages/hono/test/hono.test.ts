import { getRequestListener } from '@hono/node-server'
import { listen, testAdapter } from '@rail/conformance'
import { fetchFor } from '@rail/conformance/scenarios'
import { app } from './app.js'

testAdapter({
  name: 'Hono 4 on Node',
  start: () => listen(getRequestListener(fetchFor(app))),
})

testAdapter({
  name: 'Hono 4 where nothing is known of Node',
  start: () => {
    const fetch = fetchFor(app)
    return listen(getRequestListener((request) => fetch(request)))
  },
  cannot: ['thrown-string'],
})
