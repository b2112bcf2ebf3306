import type { ContestantName } from '../contestants.js'
import { inFreshProcess } from '../fresh-process.js'
import { atLeast, atMost, type Goal, type Row } from '../goal.js'
import type { Spread } from '../keys.js'
import { paired } from '../paired.js'
import type { Extent, Findings, Part } from '../part.js'

/** What a check costs: against the baseline, against itself refusing, against the peers' stores. */
export const corePart: Part = async (extent): Promise<Findings> => ({
  title: 'A check: two limits, all or nothing, the public decision with both statuses',
  rows: [
    await againstBaseline(extent, 1_000, 'uniform', atMost(1.5, 3.5)),
    await againstBaseline(extent, 40_000, 'uniform', atMost(0.72, 1.6)),
    ...(extent.short
      ? []
      : [
          await againstBaseline(extent, 40_000, 'zipf', atMost(0.82, 2)),
          await againstBaseline(extent, 1_000_000, 'zipf', atMost(0.78, 1.6)),
        ]),
    await againstBaseline(extent, 40_000, 'hot', atMost(1.35, 3.5)),
    ...(extent.short ? [] : [await mapAsLru(extent)]),
    ...(extent.short ? [] : [await oneLimit(extent), await refused(extent, 1_000, atMost(1.15, 2))]),
    await refused(extent, 40_000, atMost(1.05, 2)),
    ...(await peers(extent)),
    await newKeys(extent),
    await headerText(extent),
    await madeLimits(extent),
    await requestGarbage(extent),
  ],
  packages: [
    '@fastify/rate-limit',
    'express-rate-limit',
    'hono-rate-limiter',
    'limiter',
    'lru-cache',
    'rate-limiter-flexible',
  ],
})

const SPREADS: Readonly<Record<Spread, string>> = {
  uniform: 'equally busy customers',
  zipf: 'customers, few of them busy',
  hot: 'known, all requests of one customer',
  new: 'kept, every request a new customer',
}

const crowd = (customers: number, spread: Spread) => `${customers.toLocaleString('en')} ${SPREADS[spread]}`

async function againstBaseline(extent: Extent, customers: number, spread: Spread, goal: Row['goal']): Promise<Row> {
  const { ratios, subjectNs } = await paired(extent, { subject: 'rail', against: 'baseline', customers, spread })
  return {
    what: crowd(customers, spread),
    against: 'baseline',
    rounds: ratios,
    note: `${subjectNs.toFixed(0)} ns`,
    ...(goal && { goal }),
  }
}

/** What one busy customer does to the usual way of keeping a Map in order of use. */
async function mapAsLru(extent: Extent): Promise<Row> {
  const input = { subject: 'Map, delete and set', against: 'baseline', customers: 40_000, spread: 'hot' } as const
  // A check takes a hundred microseconds, so slices are short.
  const { ratios, subjectNs } = await paired(extent, { ...input, slices: 10, slice: 200 })
  return {
    what: `the same, a Map with delete and set`,
    against: 'baseline',
    rounds: ratios,
    note: `${subjectNs.toFixed(0)} ns`,
  }
}

async function oneLimit(extent: Extent): Promise<Row> {
  const input = { subject: 'rail, 1 limits', against: 'rail', customers: 1_000, spread: 'uniform' } as const
  const { ratios } = await paired(extent, input)
  return { what: 'one limit, 1,000 customers', against: 'two limits', rounds: ratios, goal: atMost(0.85, 1.5) }
}

async function refused(extent: Extent, customers: number, goal: Goal): Promise<Row> {
  const { ratios } = await paired(extent, { subject: 'rail, refused', against: 'rail', customers, spread: 'uniform' })
  return {
    what: `refused by both limits, ${customers.toLocaleString('en')} customers`,
    against: 'allowed',
    rounds: ratios,
    goal,
  }
}

/** How many times faster than each of the peers, which count one window or two buckets. */
async function peers(extent: Extent): Promise<Row[]> {
  const faster = async (against: ContestantName, what: string, goal?: Row['goal'], slice = 1_000): Promise<Row> => {
    const { ratios } = await paired(extent, { subject: 'rail', against, customers: 40_000, spread: 'uniform', slice })
    return { what, against, rounds: ratios.map((ratio) => 1 / ratio), unit: 'times', ...(goal && { goal }) }
  }
  const oneWindow = 'faster than one window'
  const rows = [
    await faster('@fastify/rate-limit store', oneWindow),
    ...(extent.short ? [] : [await faster('hono-rate-limiter store', oneWindow)]),
    ...(extent.short ? [] : [await faster('lru-cache + naive bucket', 'faster than one bucket')]),
  ]
  const fastest = rows.reduce((a, b) => (Math.min(...a.rounds) < Math.min(...b.rounds) ? a : b))
  return [
    ...rows.map((row) => (row === fastest ? { ...row, goal: atLeast(1.5, 0.7), note: 'the fastest of them' } : row)),
    await faster('limiter, parent bucket', 'faster than two buckets', atLeast(2.3, 1.2)),
    ...(extent.short ? [] : [await faster('express-rate-limit store', oneWindow)]),
    ...(extent.short ? [] : [await faster('rate-limiter-flexible', oneWindow)]),
    await faster('rate-limiter-flexible Union', 'faster than two windows', atLeast(5.5, 2), 300),
  ]
}

async function newKeys(extent: Extent): Promise<Row> {
  const input = { subject: 'rail', against: 'lru-cache + naive bucket', customers: 40_000, spread: 'new' } as const
  const { ratios, subjectNs } = await paired(extent, input)
  return {
    what: crowd(40_000, 'new'),
    against: 'lru-cache + naive bucket',
    rounds: ratios,
    goal: atMost(0.58, 1.6),
    note: `${subjectNs.toFixed(0)} ns`,
  }
}

async function headerText(extent: Extent): Promise<Row> {
  extent.say('header text')
  const rounds: number[] = []
  for (let process = 0; process < (extent.short ? 1 : 3); process++) {
    rounds.push(...(await inFreshProcess('headers', { rounds: 3 })).ratios)
  }
  return { what: 'text of both header fields', against: 'map and join', rounds, goal: atMost(0.3, 0.7) }
}

async function madeLimits(extent: Extent): Promise<Row> {
  extent.say('limits made anew')
  const rounds: number[] = []
  for (let process = 0; process < (extent.short ? 1 : 3); process++) {
    rounds.push(...(await inFreshProcess('made limits', { rounds: 3 })).ratios)
  }
  return {
    what: 'a request whose limits a function makes each time',
    against: 'a static array',
    rounds,
    goal: atMost(2, 4),
  }
}

/** A young generation that holds what is measured, so that no collection comes in between. */
const NO_COLLECTION = ['--min-semi-space-size=128', '--max-semi-space-size=128']

async function requestGarbage(extent: Extent): Promise<Row> {
  extent.say('garbage of a request')
  const rounds: number[] = []
  for (let process = 0; process < 3; process++) {
    rounds.push((await inFreshProcess('request garbage', { rounds: 5 }, NO_COLLECTION)).bytes)
  }
  return {
    what: 'bytes of garbage of a counted request, headers read',
    against: 'the same request, not counted',
    rounds,
    unit: 'bytes',
    goal: atMost(1_000, 1_500),
  }
}
