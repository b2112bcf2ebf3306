import { FRONTS, type Front } from '../frameworks/fronts.js'
import { measure, type Round } from '../frameworks/measure.js'
import { type NodeBinary, nodes } from '../frameworks/nodes.js'
import type { Framework } from '../frameworks/servers.js'
import { atLeast, atMost, type Goal, type Row } from '../goal.js'
import type { Extent, Findings, Part } from '../part.js'
import { median } from '../statistics.js'

/** What a limiter adds to a request, beside the framework's usual limiter: each server in a process of its own. */
export const frameworksPart: Part = async (extent): Promise<Findings> => {
  const rows: Row[] = []
  for (const [place, node] of nodes().entries()) {
    for (const framework of Object.keys(PEERS) as Framework[]) {
      const fronts = frontsFor(extent, framework, place, node)
      if (fronts.length === 0) continue
      extent.say(`requests through ${framework} on ${node.name}`)
      const [sets, rounds] = framework === 'express' && !extent.short ? [2, 3] : [1, 5]
      const found = await measure({ node: node.path, framework, fronts, sets, rounds })
      rows.push(...rowsOf(new Figures(found), framework, node, place === 0))
    }
  }
  return {
    title: 'A request through a framework, each server in a process of its own',
    rows,
    packages: ['express', 'fastify', 'hono', 'koa', '@hono/node-server', ...Object.values(PEERS)],
  }
}

const PEERS: Readonly<Record<Framework, string>> = {
  express: 'express-rate-limit',
  fastify: '@fastify/rate-limit',
  hono: 'hono-rate-limiter',
  koa: 'koa-ratelimit',
}

/** CI's short form has one framework, the machine's own Node everything, and the others what they differ in. */
function frontsFor({ short }: Extent, framework: Framework, place: number, { name }: NodeBinary): readonly Front[] {
  const least: readonly Front[] = ['bare', 'fields', 'one', 'peer']
  if (short) return place === 0 && framework === 'express' ? least : []
  // The peer of Fastify counts a request once, however often it is registered.
  if (place === 0) return FRONTS.filter((front) => framework !== 'fastify' || front !== 'peer twice')
  if (name === 'Node 24') return framework === 'express' ? FRONTS : least
  return framework === 'express' || framework === 'fastify' ? least : []
}

/** What is to be reached, by framework, and by Node where that differs. On any Node, no row is to be slower than the peer's. */
const GOALS: Readonly<Record<Framework, { readonly added: number; readonly refused: number }>> = {
  express: { added: 0.45, refused: 0.68 },
  fastify: { added: 0.95, refused: 0.55 },
  hono: { added: 0.68, refused: 1 },
  koa: { added: 0.6, refused: 1 },
}

/** The figures of each round, by the names of the servers. */
class Figures {
  readonly #found: ReadonlyMap<Front, readonly Round[]>

  constructor(found: ReadonlyMap<Front, readonly Round[]>) {
    this.#found = found
  }

  has(...fronts: Front[]): boolean {
    return fronts.every((front) => this.#found.has(front))
  }

  /** A figure of each round, made from those of its servers. */
  each(figure: (at: (front: Front) => Round) => number): number[] {
    const rounds = this.#found.get('bare') ?? []
    return rounds.map((_, round) => figure((front) => this.#found.get(front)?.[round] as Round))
  }

  median(figure: (at: (front: Front) => Round) => number): number {
    return median(this.each(figure))
  }
}

function rowsOf(figures: Figures, framework: Framework, node: NodeBinary, isOwn: boolean): Row[] {
  const name = `${framework}, ${node.name}`
  const goals = GOALS[framework]
  const added =
    (front: Front, what: 'insideUs' | 'cpuUs' | 'garbageBytes' = 'insideUs') =>
    (at: (front: Front) => Round): number =>
      at(front)[what] - at('bare')[what]
  const ratio = (one: (at: (front: Front) => Round) => number, other: typeof one) =>
    figures.each((at) => one(at) / other(at))
  /** How much of the way from the floor to the peer Rail uses, in percent. */
  const way = (floor: Front, front: Front, peer: Front): string => {
    const [least, ours, theirs] = [floor, front, peer].map((each) => figures.median((at) => at(each).insideUs)) as [
      number,
      number,
      number,
    ]
    return `${Math.round((100 * (ours - least)) / (theirs - least))} % of the way from "${floor}" to the peer`
  }
  const rows: Row[] = [
    {
      what: `${name}: Rail adds, one limit`,
      against: 'bare',
      rounds: figures.each(added('one')),
      unit: 'us',
      note: `the peer ${us(figures.median(added('peer')))}, two constant fields ${us(figures.median(added('fields')))}`,
    },
    {
      what: `${name}: what Rail adds, one limit each`,
      against: 'what the peer adds',
      rounds: ratio(added('one'), added('peer')),
      goal: isOwn || framework === 'express' ? atMost(goals.added, 2) : atMost(1, 2),
      note: way('fields', 'one', 'peer'),
    },
  ]
  if (figures.has('two', 'peer twice')) {
    rows.push({
      what: `${name}: what Rail adds, two limits each`,
      against: 'the peer, mounted twice',
      rounds: ratio(added('two'), added('peer twice')),
      goal: framework === 'express' ? atMost(0.3, 2) : atMost(1, 2),
      note: way('fields', 'two', 'peer twice'),
    })
  }
  if (figures.has('one, refused')) {
    rows.push({
      what: `${name}: Rail's 429`,
      against: "the peer's 429",
      rounds: ratio(inside('one, refused'), inside('peer, refused')),
      goal: isOwn || framework === 'express' ? atMost(goals.refused, 2) : atMost(1, 2),
      ...(figures.has('static 429') && { note: way('static 429', 'one, refused', 'peer, refused') }),
    })
  }
  rows.push(...socketRows(figures, name, framework, node))
  rows.push(
    {
      what: `${name}: CPU that Rail adds`,
      against: 'bare',
      rounds: figures.each(added('one', 'cpuUs')),
      unit: 'us',
      note: `the peer ${us(figures.median(added('peer', 'cpuUs')))}`,
    },
    {
      what: `${name}: bytes of garbage that Rail adds`,
      against: 'bare',
      rounds: figures.each(added('one', 'garbageBytes')),
      unit: 'bytes',
      note: `the peer ${figures.median(added('peer', 'garbageBytes')).toFixed(0)}`,
    },
  )
  return rows
}

/** Over 16 connections, as users feel it. */
function socketRows(figures: Figures, name: string, framework: Framework, node: NodeBinary): Row[] {
  const ofBare = (front: Front, what: 'perSecond' | 'p99Us') => (at: (front: Front) => Round) =>
    at(front)[what] / at('bare')[what]
  const others = (what: 'perSecond' | 'p99Us'): string => {
    const [fields, peer] = (['fields', 'peer'] as const).map((front) => figures.median(ofBare(front, what)).toFixed(2))
    return `two constant fields ${fields}, the peer ${peer}`
  }
  const socketGoals = framework === 'express' ? EXPRESS_OVER_SOCKETS[node.name] : undefined
  return [
    {
      what: `${name}: requests a second, 16 connections`,
      against: 'bare',
      rounds: figures.each(ofBare('one', 'perSecond')),
      ...(socketGoals?.perSecond && { goal: socketGoals.perSecond }),
      note: others('perSecond'),
    },
    {
      what: `${name}: the slowest percent (p99), 16 connections`,
      against: 'bare',
      rounds: figures.each(ofBare('one', 'p99Us')),
      ...(socketGoals?.p99 && { goal: socketGoals.p99 }),
      note: others('p99Us'),
    },
  ]
}

const EXPRESS_OVER_SOCKETS: Readonly<Record<string, { readonly perSecond?: Goal; readonly p99?: Goal }>> = {
  'Node 20': { perSecond: atLeast(0.9, 0.5) },
  'Node 24': { perSecond: atLeast(0.82, 0.5), p99: atMost(1.3, 5) },
}

const inside =
  (front: Front) =>
  (at: (front: Front) => Round): number =>
    at(front).insideUs

function us(figure: number): string {
  return `${figure.toFixed(2)} µs`
}
