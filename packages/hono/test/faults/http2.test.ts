import { getRequestListener } from '@hono/node-server'
import { listenHttp2, testAdapter } from '@rail/conformance'
import { fetchFor } from '@rail/conformance/scenarios'
import { app } from '../app.js'

testAdapter({
  name: 'Hono 4 on Node over HTTP/2',
  start: () => listenHttp2(getRequestListener(fetchFor(app))),
})
