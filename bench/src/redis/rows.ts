import { ioredisClient, nodeRedisClient } from './contestants.js'
import { inTurns, type Round } from './load.js'
import { remembered } from './remembered.js'
import { startRedis } from './server.js'

/** One line: the figure of each round, and what is to be reached. */
export interface RedisRow {
  readonly what: string
  readonly against: string
  readonly rounds: readonly number[]
  readonly unit?: 'ratio' | 'times' | 'count'
  readonly goal?: { readonly at: 'most' | 'least'; readonly reach: number; readonly gate: number }
  readonly note?: string
}

const atMost = (reach: number, gate: number) => ({ at: 'most', reach, gate }) as const
const atLeast = (reach: number, gate: number) => ({ at: 'least', reach, gate }) as const

/** Two limits in Redis beside PING and GET on the same connection, and beside the peers' one window. */
export async function redisRows(short: boolean, say: (what: string) => void): Promise<RedisRow[]> {
  const { port, stop } = await startRedis()
  try {
    return [
      ...(await withIoredis(port, 1, short, say)),
      ...(await withIoredis(port, 50, short, say)),
      ...(await withNodeRedis(port, short, say)),
      ...(await again(port, short, say)),
    ]
  } finally {
    stop()
  }
}

const extentOf = (short: boolean) => (short ? { rounds: 3, ms: 150 } : { rounds: 7, ms: 400 })

async function withIoredis(
  port: number,
  concurrency: number,
  short: boolean,
  say: (what: string) => void,
): Promise<RedisRow[]> {
  say(`ioredis, ${concurrency} at once`)
  const client = await ioredisClient(port, concurrency)
  const found = await inTurns(client.works, { concurrency, ...extentOf(short) }, client.info)
  client.close()
  const at = `${concurrency} at once, ioredis 6`
  const speed = (name: keyof typeof found, against: keyof typeof found) =>
    ratios(found[name], found[against], 'perSecond')
  return [
    {
      what: `both limits, ${at}: checks a second`,
      against: 'PING',
      rounds: speed('rail', 'PING'),
      goal: concurrency === 1 ? atLeast(0.8, 0.5) : atLeast(0.85, 0.4),
      note: perSecondOf(found.rail),
    },
    { what: `both limits, ${at}`, against: 'GET', rounds: speed('rail', 'GET') },
    {
      what: `both limits, ${at}`,
      against: 'rate-limiter-flexible, one window',
      rounds: speed('rail', 'rate-limiter-flexible'),
    },
    { what: `both limits, ${at}`, against: 'rate-limit-redis, one window', rounds: speed('rail', 'rate-limit-redis') },
    ...(concurrency === 1 ? [] : [batched(found.rail, found['rail, a script each'], at)]),
    {
      what: `time in Redis for a check, ${at}`,
      against: "rate-limiter-flexible's one window",
      rounds: ratios(found.rail, found['rate-limiter-flexible'], 'scriptUs'),
      ...(concurrency === 1 ? {} : { goal: atMost(1.6, 2) }),
    },
    {
      what: `time in Redis for a check, ${at}`,
      against: "rate-limit-redis's one window",
      rounds: ratios(found.rail, found['rate-limit-redis'], 'scriptUs'),
    },
  ]
}

async function withNodeRedis(port: number, short: boolean, say: (what: string) => void): Promise<RedisRow[]> {
  say('node-redis, 500 at once')
  const concurrency = 500
  const client = await nodeRedisClient(port, concurrency)
  const found = await inTurns(client.works, { concurrency, ...extentOf(short) }, client.info)
  client.close()
  const at = '500 at once, node-redis 5'
  return [
    {
      what: `both limits, ${at}: checks a second`,
      against: 'PING',
      rounds: ratios(found.rail, found.PING, 'perSecond'),
      goal: atLeast(0.3, 0.1),
      note: perSecondOf(found.rail),
    },
    batched(found.rail, found['rail, a script each'], at),
  ]
}

function batched(rail: Round[], apart: Round[], at: string): RedisRow {
  return {
    what: `one script a turn, ${at}`,
    against: 'a script each, pipelined',
    rounds: ratios(rail, apart, 'perSecond'),
    unit: 'times',
    goal: atLeast(1, 0.9),
  }
}

async function again(port: number, short: boolean, say: (what: string) => void): Promise<RedisRow[]> {
  say('remembered refusals')
  const { ratios: rounds, commands } = await remembered(port, short ? 3 : 9)
  return [
    { what: 'refused again, remembered', against: 'refused by a memory store', rounds, goal: atMost(1.5, 4) },
    { what: 'commands sent meanwhile', against: '', rounds: [commands], unit: 'count', goal: atMost(0, 0) },
  ]
}

function ratios(ours: Round[], theirs: Round[], what: keyof Round): number[] {
  return ours.map((round, index) => round[what] / (theirs[index]?.[what] ?? Number.NaN))
}

function perSecondOf(rounds: Round[]): string {
  const sorted = rounds.map((round) => round.perSecond).toSorted((a, b) => a - b)
  return `${Math.round((sorted[sorted.length >> 1] ?? 0) / 1_000)}k a second`
}
