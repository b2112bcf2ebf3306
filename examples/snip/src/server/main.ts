import type { AddressInfo } from 'node:net'
import { createApp } from './app.js'
import { openDatabase } from './database.js'

const app = await createApp({ db: openDatabase(process.env.SNIP_DB ?? 'snip.db') })
await app.listen({ port: Number(process.env.PORT ?? 3000) })
const { port } = app.server.address() as AddressInfo
console.log(`Snip is on http://localhost:${port}. Paste this into another terminal:

  curl -i http://localhost:${port}/v1/links -H 'Authorization: Bearer snip_free_ada' \\
    -H 'Content-Type: application/json' -d '{"url":"https://example.org","slug":"example"}'

or import a file: npm run import -- data/links.csv`)
