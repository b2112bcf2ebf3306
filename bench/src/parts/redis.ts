import { atLeast, atMost, type Row } from '../goal.js'
import type { Extent, Findings, Part } from '../part.js'
import { ioredisClient, nodeRedisClient } from '../redis/contestants.js'
import { inTurns, type Round } from '../redis/load.js'
import { remembered } from '../redis/remembered.js'
import { startRedis } from '../redis/server.js'
import { median } from '../statistics.js'

/** Both limits in one round trip, beside PING and GET on the same connection, and beside the peers' one window. */
export const redisPart: Part = async (extent): Promise<Findings> => {
  const { port, stop } = await startRedis()
  try {
    return {
      title: 'Redis: two limits in one round trip',
      rows: [
        ...(await withIoredis(port, 1, extent)),
        ...(await withIoredis(port, 50, extent)),
        ...(await withNodeRedis(port, extent)),
        ...(await again(port, extent)),
      ],
      packages: ['ioredis', 'rate-limit-redis', 'rate-limiter-flexible'],
    }
  } finally {
    stop()
  }
}

const lengthOf = ({ short }: Extent) => (short ? { rounds: 3, ms: 150 } : { rounds: 7, ms: 400 })

async function withIoredis(port: number, concurrency: number, extent: Extent): Promise<Row[]> {
  extent.say(`ioredis, ${concurrency} at once`)
  const client = await ioredisClient(port, concurrency)
  const found = await inTurns(client.works, { concurrency, ...lengthOf(extent) }, client.info)
  client.close()
  const at = `${concurrency} at once, ioredis 6`
  const speed = (against: keyof typeof found) => ratios(found.rail, found[against], 'perSecond')
  const inRedis = (against: keyof typeof found) => ratios(found.rail, found[against], 'scriptUs')
  return [
    {
      what: `checks a second, ${at}`,
      against: 'PING',
      rounds: speed('PING'),
      note: thousands(found.rail),
    },
    {
      what: `checks a second, ${at}`,
      against: 'the least script that reads and writes a key',
      rounds: speed('least script'),
      ...(concurrency === 1 && { goal: atLeast(0.94, 0.4) }),
    },
    { what: `checks a second, ${at}`, against: 'GET', rounds: speed('GET') },
    {
      what: `checks a second, ${at}`,
      against: 'rate-limiter-flexible, one window',
      rounds: speed('rate-limiter-flexible'),
    },
    { what: `checks a second, ${at}`, against: 'rate-limit-redis, one window', rounds: speed('rate-limit-redis') },
    ...(concurrency === 1 ? [] : [batched(found.rail, found['rail, a script each'], at)]),
    {
      what: `time in Redis, ${at}`,
      against: "rate-limiter-flexible's one window",
      rounds: inRedis('rate-limiter-flexible'),
      ...(concurrency > 1 && { goal: atMost(1.6, 2.5) }),
    },
    { what: `time in Redis, ${at}`, against: "rate-limit-redis's one window", rounds: inRedis('rate-limit-redis') },
  ]
}

async function withNodeRedis(port: number, extent: Extent): Promise<Row[]> {
  extent.say('node-redis 5, 500 at once')
  const concurrency = 500
  const client = await nodeRedisClient(port, concurrency)
  const found = await inTurns(client.works, { concurrency, ...lengthOf(extent) }, client.info)
  client.close()
  const at = '500 at once, node-redis 5'
  return [
    {
      what: `checks a second, ${at}`,
      against: 'PING',
      rounds: ratios(found.rail, found.PING, 'perSecond'),
      note: thousands(found.rail),
    },
    {
      what: `checks a second, ${at}`,
      against: 'rate-limiter-flexible, one window',
      rounds: ratios(found.rail, found['rate-limiter-flexible'], 'perSecond'),
      unit: 'times',
      goal: atLeast(1.8, 0.7),
    },
    batched(found.rail, found['rail, a script each'], at),
  ]
}

function batched(rail: readonly Round[], apart: readonly Round[], at: string): Row {
  return {
    what: `one script a turn, ${at}`,
    against: 'a script each, pipelined',
    rounds: ratios(rail, apart, 'perSecond'),
    unit: 'times',
    goal: atLeast(1, 0.9),
  }
}

async function again(port: number, extent: Extent): Promise<Row[]> {
  extent.say('remembered refusals')
  const { ratios: rounds, commands } = await remembered(port, extent.short ? 3 : 9)
  return [
    { what: 'refused again, remembered', against: 'refused by a memory store', rounds, goal: atMost(1.5, 4) },
    { what: 'commands sent meanwhile', against: '', rounds: [commands], unit: 'count', goal: atMost(0, 0) },
  ]
}

function ratios(ours: readonly Round[], theirs: readonly Round[], what: keyof Round): number[] {
  return ours.map((round, index) => round[what] / (theirs[index]?.[what] ?? Number.NaN))
}

function thousands(rounds: readonly Round[]): string {
  return `${Math.round(median(rounds.map((round) => round.perSecond)) / 1_000)}k a second`
}
