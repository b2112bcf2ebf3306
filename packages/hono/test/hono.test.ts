import { getRequestListener } from '@hono/node-server'
import { listen, listenHttp2, testAdapter } from '@rail/conformance'
import { createFetch } from './app.js'

for (const [name, serve] of Object.entries({ 'Hono 4 on Node': listen, 'Hono 4 on Node over HTTP/2': listenHttp2 })) {
  testAdapter({ name, start: () => serve(getRequestListener(createFetch())), cannot: ['thrown-text'] })
}
