import { MemoryStore, perDay, perHour } from '@rail/core'
import { RedisStore } from '@rail/redis'
import { createClient } from 'redis5'

const LIMITS = [perHour(1), perDay(1)]
const CUSTOMERS = 1_000
const CHECKS = 40_000
const keyOf = (request: number): string => `customer-${request % CUSTOMERS}`

/** Refused again while Redis's answer stands, over the same refused by a memory store; and the commands sent meanwhile. */
export async function remembered(port: number, rounds: number): Promise<{ ratios: number[]; commands: number }> {
  const client = createClient({ socket: { host: '127.0.0.1', port }, disableOfflineQueue: true })
  await client.connect()
  const redis = new RedisStore({ client, deadlineMs: 10_000, prefix: 'remembered:', rememberRefusals: true })
  const memory = new MemoryStore()
  const take = (store: RedisStore | MemoryStore, request: number) =>
    store.take([{ key: keyOf(request), limits: LIMITS, cost: 1 }], Math.floor(performance.now()))
  const nsOf = (store: RedisStore | MemoryStore): number => {
    const from = performance.now()
    for (let request = 0; request < CHECKS; request++) take(store, request)
    return ((performance.now() - from) / CHECKS) * 1e6
  }
  const commands = async (): Promise<number> =>
    Number(/total_commands_processed:(\d+)/.exec(await client.info('stats'))?.[1])

  const ratios: number[] = []
  let sent = 0
  for (let round = -1; round < rounds; round++) {
    // A refusal is remembered for a second: it is asked for again in front of each round.
    for (let twice = 0; twice < 2; twice++) {
      await Promise.all(Array.from({ length: CUSTOMERS }, (_, request) => take(redis, request)))
      for (let request = 0; request < CUSTOMERS; request++) take(memory, request)
    }
    const before = await commands()
    const ratio = nsOf(redis) / nsOf(memory)
    // Of these two looks at the statistics one is counted.
    sent += (await commands()) - before - 1
    if (round >= 0) ratios.push(ratio)
  }
  client.destroy()
  return { ratios, commands: sent }
}
