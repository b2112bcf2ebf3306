import type { AddressInfo } from 'node:net'
import { createApp } from '../src/server/app.js'
import { openDatabase } from '../src/server/database.js'
import { fastPlans } from './fast-plans.js'

// Snip as a program of its own, on the port PORT and the file SNIP_DB. Prints its port. Kills itself when it has done its
// KILL_AT-th request, and before it answers: what is on its way then is lost, and nothing is tidied up.
const { PORT = '0', SNIP_DB = '', KILL_AT = '0' } = process.env
const app = await createApp({ db: openDatabase(SNIP_DB), plans: fastPlans })
let requests = 0
app.server.on('request', (_request, response) => {
  if (++requests === Number(KILL_AT)) response.writeHead = () => process.kill(process.pid, 'SIGKILL') as never
})
await app.listen({ host: '127.0.0.1', port: Number(PORT) })
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`)
