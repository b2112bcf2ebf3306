import { testAdapter } from '@rail/conformance'
import { start } from '../app.js'

testAdapter({ name: 'Fastify 5 over HTTP/2', start: () => start('onRequest', undefined, true) })
