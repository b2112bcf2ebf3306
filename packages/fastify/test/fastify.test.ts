import { listen, listenerFor, testAdapter } from '@rail/conformance'
import { appOf } from './app.js'

testAdapter({ name: 'Fastify 5', start: () => listen(listenerFor(appOf('onRequest'))) })
testAdapter({ name: "Fastify 5, hook 'preHandler'", start: () => listen(listenerFor(appOf('preHandler'))) })
