import { getRequestListener } from '@hono/node-server'
import { listen, testAdapter } from '@rail/conformance'
import { createFetch } from './app.js'

testAdapter({
  name: 'Hono 4 on Node',
  start: () => listen(getRequestListener(createFetch())),
})

testAdapter({
  name: 'Hono 4 where nothing is known of Node',
  start: () => {
    const fetch = createFetch()
    return listen(getRequestListener((request) => fetch(request)))
  },
  cannot: ['thrown-text'],
})
