import { listen, listenerFor, testHostileRequests } from '@rail/conformance'
import { appOf } from '../app.js'

testHostileRequests({ name: 'Fastify 5', start: () => listen(listenerFor(appOf('onRequest'))) })
testHostileRequests({ name: "Fastify 5, hook 'preHandler'", start: () => listen(listenerFor(appOf('preHandler'))) })
