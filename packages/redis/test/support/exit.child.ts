// An API that ends: no listener for errors of its clients, takes with and without an answer, then close(). It must end by
// itself, with nothing unhandled.
import { perSecond } from '@rail/core'
import { RedisStore } from '../../src/index.js'
import { CLIENTS, CLUSTER_CLIENTS } from './clients.js'

const [, , names = '', port, after] = process.argv
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const kinds = [...CLIENTS, ...CLUSTER_CLIENTS].filter((kind) => names.split(';').includes(kind.name))
const apis = await Promise.all(
  kinds.map(async ({ open }) => {
    const { client, close } = await open(Number(port))
    ;(client as { removeAllListeners?(event: string): unknown }).removeAllListeners?.('error')
    const store = new RedisStore({ client })
    const take = async (): Promise<string> => {
      try {
        return (await store.take([{ key: 'acme', limits: [perSecond(99)], cost: 1 }], 0)).allowed
          ? 'allowed'
          : 'refused'
      } catch (error) {
        return String((error as { code?: unknown }).code)
      }
    }
    while ((await take()) !== 'allowed') await wait(20)
    return { store, take, close }
  }),
)

process.send?.('ready')
await new Promise((resolve) => process.once('message', resolve))
const takes = apis.flatMap(({ take }) => Array.from({ length: 10 }, take))
if (after === 'at once') for (const { store } of apis) store.close()
const answers = new Set(await Promise.all(takes))
for (const { store, take, close } of apis) {
  await take()
  store.close()
  close()
}
process.send?.([...answers], () => process.disconnect())
