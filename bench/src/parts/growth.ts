import { availableParallelism } from 'node:os'
import { inFreshProcess } from '../fresh-process.js'
import type { Row } from '../goal.js'
import { paired } from '../paired.js'
import type { Extent, Findings, Part } from '../part.js'
import { median } from '../statistics.js'
import type { Curve } from '../svg.js'

/** How the cost grows with the work: with customers, with limits in a plan, with processes. A point is one process's. */
export const growthPart: Part = async (extent): Promise<Findings> => {
  const customers = await byCustomers(extent)
  const limits = await byLimits(extent)
  const processes = await byProcesses(extent)
  return {
    title: 'As work grows',
    rows: [
      ...rowsOf(customers, 'ns a check'),
      ...rowsOf(limits, 'ns a check'),
      ...rowsOf(processes, 'million checks a second'),
    ],
    curves: [customers, limits, processes],
    packages: [],
  }
}

async function byCustomers(extent: Extent): Promise<Curve> {
  const rail: [number, number][] = []
  const baseline: [number, number][] = []
  for (const customers of [1_000, 10_000, 100_000, 1_000_000]) {
    const input = { subject: 'rail', against: 'baseline', customers, spread: 'uniform' } as const
    const { subjectNs, againstNs } = await paired({ ...extent, short: true }, input)
    rail.push([customers, subjectNs])
    baseline.push([customers, againstNs])
  }
  const lines = [
    { name: 'Rail', points: rail },
    { name: 'baseline', points: baseline },
  ]
  return { title: 'A check, by customers', x: 'customers', y: 'ns', lines, logarithmic: true }
}

async function byLimits(extent: Extent): Promise<Curve> {
  const points: [number, number][] = []
  for (let limits = 1; limits <= 10; limits++) {
    const subject = `rail, ${limits} limits` as const
    const input = { subject, against: 'baseline', customers: 1_000, spread: 'uniform' } as const
    const { subjectNs } = await paired({ ...extent, short: true }, input)
    points.push([limits, subjectNs])
  }
  return {
    title: 'A check, by limits in the plan',
    x: 'limits',
    y: 'ns',
    lines: [{ name: 'Rail, 1,000 customers', points }],
  }
}

async function byProcesses(extent: Extent): Promise<Curve> {
  const points: [number, number][] = []
  for (let processes = 1; processes <= 4; processes++) {
    extent.say(`${processes} processes`)
    // More processes than cores take longer to start; one that is late for the start ends the run.
    const input = { customers: 40_000, from: Date.now() + 4_000 + 2_000 * processes, seconds: 3 }
    const all = await Promise.all(Array.from({ length: processes }, () => inFreshProcess('throughput', input)))
    const together = Array.from({ length: input.seconds }, (_, second) =>
      all.reduce((sum, { perSecond }) => sum + (perSecond[second] as number), 0),
    )
    points.push([processes, median(together) / 1e6])
  }
  const title = `Checks, by processes, on ${availableParallelism()} cores`
  return { title, x: 'processes', y: 'million a second', lines: [{ name: 'Rail, 40,000 customers', points }] }
}

function rowsOf({ title, x, lines }: Curve, against: string): Row[] {
  return (lines[0]?.points ?? []).map(([at, value]) => ({
    what: `${title}: ${at.toLocaleString('en')} ${x}`,
    against,
    rounds: [value],
  }))
}
