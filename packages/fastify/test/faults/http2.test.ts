import { listenerFor, listenHttp2, testAdapter } from '@rail/conformance'
import { appOf } from '../app.js'

testAdapter({ name: 'Fastify 5 over HTTP/2', start: () => listenHttp2(listenerFor(appOf('onRequest', true))) })
