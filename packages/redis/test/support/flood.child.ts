// One of several API processes: takes as fast as it can until it is told to stop, then says how many were let in.
import { once } from 'node:events'
import { perSecond } from '@rail/core'
import { createClient } from 'redis'
import { RedisStore } from '../../src/index.js'

const client = createClient({ socket: { host: '127.0.0.1', port: Number(process.argv[2]) }, disableOfflineQueue: true })
await client.connect()
const store = new RedisStore({ client, deadlineMs: 60_000 })
const charges = [{ key: 'acme', limits: [perSecond(10)], cost: 1 }]

let stopped = false
let admitted = 0
let asked = 0
async function flood(): Promise<void> {
  while (!stopped) {
    asked++
    if ((await store.take(charges, 0)).allowed) admitted++
  }
}

process.send?.('ready')
await once(process, 'message')
process.once('message', () => {
  stopped = true
})
await Promise.all(Array.from({ length: 20 }, flood))
store.close()
await client.close()
process.send?.({ admitted, asked }, () => process.disconnect())
