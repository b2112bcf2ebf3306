import type { ContestantName } from '../contestants.js'
import { inFreshProcess } from '../fresh-process.js'
import { atMost, type Row } from '../goal.js'
import type { Extent, Findings, Part } from '../part.js'

/** What customers cost in memory, and how long the event loop is held while new ones pour in. */
export const memoryPart: Part = async (extent): Promise<Findings> => {
  const sizes = extent.short ? [40_000] : [40_000, 1_000_000]
  const bytes: Row[] = []
  for (const customers of sizes) {
    bytes.push(await bytesOf(extent, 'rail', customers, atMost(100, 115)))
    if (extent.short) continue
    // The timers and promises of the last make a million customers too many for a small machine.
    for (const peer of customers > 40_000 ? PEERS.slice(0, -1) : PEERS)
      bytes.push(await bytesOf(extent, peer, customers))
  }
  return {
    title: 'Memory: bytes a customer with an 18-character key, holds of the event loop, garbage',
    rows: [...bytes, ...(await holds(extent)), await garbage(extent)],
    packages: [
      '@fastify/rate-limit',
      'express-rate-limit',
      'hono-rate-limiter',
      'limiter',
      'lru-cache',
      'rate-limiter-flexible',
    ],
  }
}

const PEERS: readonly ContestantName[] = [
  'bare Map',
  'lru-cache + naive bucket',
  '@fastify/rate-limit store',
  'hono-rate-limiter store',
  'express-rate-limit store',
  'limiter, parent bucket',
  'rate-limiter-flexible',
  'rate-limiter-flexible Union',
]

async function bytesOf(extent: Extent, subject: ContestantName, customers: number, goal?: Row['goal']): Promise<Row> {
  extent.say(`bytes of a customer: ${subject}, ${customers}`)
  const rounds: number[] = []
  for (let round = 0; round < (subject === 'rail' ? 3 : 1); round++) {
    rounds.push((await inFreshProcess('bytes', { subject, customers })).bytes)
  }
  return {
    what: `bytes a customer, ${customers.toLocaleString('en')}`,
    against: subject,
    rounds,
    unit: 'bytes',
    ...(goal && { goal }),
  }
}

/**
 * Noise only ever adds to a hold, so of several processes the least counts: the hold that is the program's own. The
 * others are its spread.
 */
async function holds(extent: Extent): Promise<Row[]> {
  const longest = async (subject: ContestantName, most: number): Promise<number[]> => {
    extent.say(`longest hold: ${subject}, ${most} kept`)
    const found: number[] = []
    for (let process = 0; process < (extent.short ? 3 : 7); process++) {
      found.push(
        (await inFreshProcess('hold', { subject, most, customers: extent.short ? 200_000 : 1_000_000 })).longestMs,
      )
    }
    return found
  }
  const churn = await longest('rail', 40_000)
  const rows: Row[] = [holdRow('new customers pour in, 40,000 kept', 'a request', churn, atMost(3, 30))]
  if (extent.short) return rows
  const lru = await longest('lru-cache + naive bucket', 40_000)
  const filled = await longest('rail', 1_000_000)
  const map = await longest('bare Map', 1_000_000)
  return [
    ...rows,
    holdRow('the same', 'lru-cache + naive bucket', lru),
    holdRow('a million customers come, all kept', 'a request', filled),
    holdRow('the same', 'bare Map', map),
    {
      what: 'longest hold while a million come',
      against: 'bare Map',
      rounds: [Math.min(...filled) / Math.min(...map)],
      goal: atMost(0.1, 0.5),
      note: 'least of 7 against least of 7',
    },
  ]
}

function holdRow(what: string, against: string, found: readonly number[], goal?: Row['goal']): Row {
  const least = Math.min(...found)
  const note = `of ${found.length} processes the least; the most ${Math.max(...found).toFixed(1)} ms`
  return { what: `longest hold: ${what}`, against, rounds: [least], unit: 'ms', note, ...(goal && { goal }) }
}

/** What the collector says of millions of checks: nothing but short-lived garbage, and as much of it as the decision. */
async function garbage(extent: Extent): Promise<Row> {
  extent.say('garbage')
  const wanted = extent.short ? 1_000_000 : 10_000_000
  const { checks, lines } = await inFreshProcess('garbage', { subject: 'rail', checks: wanted }, ['--trace-gc'])
  const measured = lines.slice(lines.indexOf('measured from here'))
  const sweeps = measured.flatMap((line) => {
    const [, kind, before, after] = /: (Scavenge|Mark-Compact).*? ([\d.]+) \([\d.]+\) -> ([\d.]+) /.exec(line) ?? []
    return kind === undefined ? [] : [{ kind, before: Number(before), after: Number(after) }]
  })
  const major = sweeps.filter(({ kind }) => kind !== 'Scavenge').length
  const freed = sweeps.reduce((sum, { before, after }) => sum + before - after, 0)
  const grown = (sweeps.at(-1)?.after ?? 0) - (sweeps[0]?.after ?? 0)
  return {
    what: `MB that ${(checks / 1e6).toFixed(0)} million checks leave behind`,
    against: 'nothing',
    rounds: [Math.max(0, grown)],
    goal: atMost(0.5, 5),
    note: `${((freed * 2 ** 20) / checks).toFixed(0)} bytes a check, freed by ${sweeps.length - major} short and ${major} full collections`,
  }
}
