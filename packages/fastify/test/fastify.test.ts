import { testAdapter } from '@rail/conformance'
import { start } from './app.js'

testAdapter({ name: 'Fastify 5', start: () => start('onRequest') })
testAdapter({ name: "Fastify 5, hook 'preHandler'", start: () => start('preHandler') })
