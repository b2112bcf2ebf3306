import { testAdapter } from '@rail/conformance'
import { runtimes } from './runtimes.js'

for (const [name, start] of Object.entries(runtimes)) {
  testAdapter({ name: `Hono 4 on ${name}`, start, cannot: ['thrown-text'] })
}
