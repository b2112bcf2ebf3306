import { testAdapter } from '@rail/conformance'
import { start } from './app.js'

testAdapter({ name: 'Fastify 5', start: () => start('onRequest') })
testAdapter({ name: "Fastify 5, hook 'preHandler'", start: () => start('preHandler') })
testAdapter({ name: 'Fastify 5 over HTTP/2', start: () => start('onRequest', undefined, true) })
