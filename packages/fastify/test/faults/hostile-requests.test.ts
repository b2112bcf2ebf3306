import { testHostileRequests } from '@rail/conformance'
import { start } from '../app.js'

testHostileRequests({ name: 'Fastify 5', start: () => start('onRequest') })
testHostileRequests({ name: "Fastify 5, hook 'preHandler'", start: () => start('preHandler') })
