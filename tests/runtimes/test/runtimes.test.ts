import { type AdapterHarness, testAdapter } from '@rail/conformance'
import { runtimes } from './runtimes.js'

/** What a runtime cannot do by itself, with or without a limiter. Hono cannot answer a thrown text on any. */
const CANNOT: Record<string, AdapterHarness['cannot']> = {
  // Closes a connection whose request's body was not read.
  Deno: ['unread-body'],
  // Closes it too, and lets no request resolve another's promise.
  workerd: ['unread-body', 'shared-promise', 'date'],
  // Takes what follows `//` for a host, and leaves the error of a stream to nobody, which ends its process.
  "Vercel's edge-runtime": ['paths-as-sent', 'broken-stream'],
}

for (const [name, start] of Object.entries(runtimes)) {
  testAdapter({
    name: `Hono 4 on ${name}`,
    start: () => start('hono'),
    cannot: ['thrown-string', ...(CANNOT[name] ?? [])],
  })
}
