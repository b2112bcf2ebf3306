import type { Framework } from '../frameworks/servers.js'
import { inFreshProcess } from '../fresh-process.js'
import { atMost, type Row } from '../goal.js'
import type { Extent, Findings, Part } from '../part.js'

/** What a limiter adds to a request, through the real framework and parser, beside the framework's usual limiter. */
export const frameworksPart: Part = async (extent): Promise<Findings> => {
  const rows: Row[] = []
  for (const framework of Object.keys(GOALS) as Framework[]) rows.push(...(await rowsOf(extent, framework)))
  return {
    title: 'A request through a framework: what the limiter adds, half of all requests taking less (p50)',
    rows,
    packages: [
      'express',
      'fastify',
      'hono',
      'koa',
      '@hono/node-server',
      'express-rate-limit',
      '@fastify/rate-limit',
      'hono-rate-limiter',
      'koa-ratelimit',
    ],
  }
}

/** What is to be reached: of what the peer adds; of the bare request (Hono's: with a middleware that does nothing); of the peer's 429. */
const GOALS: Readonly<Record<Framework, { peer: string; added: number; whole: number; refused: number }>> = {
  express: { peer: 'express-rate-limit, draft-7', added: 0.28, whole: 1.12, refused: 0.6 },
  fastify: { peer: '@fastify/rate-limit', added: 0.6, whole: 1.17, refused: 0.55 },
  hono: { peer: 'hono-rate-limiter', added: 0.8, whole: 1.25, refused: 0.9 },
  koa: { peer: 'koa-ratelimit', added: 0.52, whole: 1.18, refused: 0.9 },
}

async function rowsOf(extent: Extent, framework: Framework): Promise<Row[]> {
  extent.say(`requests through ${framework}`)
  const { us } = await inFreshProcess('framework', { framework, rounds: extent.short ? 3 : 7 })
  const { peer, added, whole, refused } = GOALS[framework]
  const each = (figure: (round: number) => number): number[] => us.bare.map((_, round) => figure(round))
  const at = (front: keyof typeof us, round: number): number => us[front][round] as number
  const base = framework === 'hono' ? 'no-op' : 'bare'
  return [
    {
      what: `${framework}: a bare request`,
      against: 'a second bare server adds',
      rounds: each((round) => at('bare', round)),
      unit: 'us',
      note: `at most ${noise(us.bare, us.again)} more or less`,
    },
    {
      what: `${framework}: two fields that never change add`,
      against: 'bare',
      rounds: each((round) => at('fields', round) - at('bare', round)),
      unit: 'us',
      note: 'no limiter can add less',
    },
    {
      what: `${framework}: Rail adds`,
      against: 'bare',
      rounds: each((round) => at('rail', round) - at('bare', round)),
      unit: 'us',
    },
    {
      what: `${framework}: the peer adds`,
      against: 'bare',
      rounds: each((round) => at('peer', round) - at('bare', round)),
      unit: 'us',
      note: peer,
    },
    {
      what: `${framework}: what Rail adds`,
      against: 'what the peer adds',
      rounds: each((round) => (at('rail', round) - at('bare', round)) / (at('peer', round) - at('bare', round))),
      goal: atMost(added, 2),
      note: 'two limits and two fields against one window',
    },
    {
      what: `${framework}: a request with Rail`,
      against: base === 'bare' ? 'bare' : 'with a middleware that does nothing',
      rounds: each((round) => at('rail', round) / at(base, round)),
      goal: atMost(whole, whole + 1),
    },
    {
      what: `${framework}: Rail's 429`,
      against: "the peer's 429",
      rounds: each((round) => at('rail, refused', round) / at('peer, refused', round)),
      goal: atMost(refused, 2),
    },
  ]
}

function noise(bare: readonly number[], again: readonly number[]): string {
  const most = Math.max(...bare.map((us, round) => Math.abs((again[round] as number) - us)))
  return `${most.toFixed(2)} µs`
}
