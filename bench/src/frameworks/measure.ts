import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { median } from '../statistics.js'
import { type Front, isRefused } from './fronts.js'
import type { Burst } from './load.js'
import { MeasuredServer } from './measured-server.js'
import type { Answers } from './server-process.js'
import type { Framework } from './servers.js'

/** What one server came to in one round. */
export interface Round extends Burst {
  /** The median time of a request over a connection in memory: the framework and the parser, without the kernel. */
  readonly insideUs: number
  /** For each request over sockets. */
  readonly cpuUs: number
  readonly garbageBytes: number
}

export interface Measured {
  readonly node: string
  readonly framework: Framework
  readonly fronts: readonly Front[]
  /** How many times all processes are started anew, and how often each server has its turn then. */
  readonly sets: number
  readonly rounds: number
}

const SLICES = 5
const SLICE = 200
const BURST = 1_000
const WARM_UPS = 3

/** The rounds of each server. They take turns, each in a process of its own. */
export async function measure({ node, framework, fronts, sets, rounds }: Measured): Promise<Map<Front, Round[]>> {
  const file = await bundled()
  const found = new Map<Front, Round[]>(fronts.map((front) => [front, []]))
  for (let set = 0; set < sets; set++) {
    const servers = new Map<Front, MeasuredServer>()
    try {
      for (const front of fronts) servers.set(front, await MeasuredServer.start(file, node, framework, front))
      for (let round = -WARM_UPS; round < rounds; round++) {
        // Each customer is known by then, so that what refuses does.
        if (round === 0) await checkAnswers(servers)
        const inside = await insideOf(servers)
        for (const [front, server] of servers) {
          const turn = await overSockets(server)
          if (round >= 0) found.get(front)?.push({ ...turn, insideUs: median(inside.get(front) ?? []) })
        }
      }
      await checkAnswers(servers)
    } finally {
      for (const server of servers.values()) server.stop()
    }
  }
  return found
}

/** The median times of short slices, so that a busy moment of the machine is shared by all servers. */
async function insideOf(servers: ReadonlyMap<Front, MeasuredServer>): Promise<Map<Front, number[]>> {
  const found = new Map<Front, number[]>([...servers.keys()].map((front) => [front, []]))
  for (let slice = 0; slice < SLICES; slice++) {
    for (const [front, server] of servers) {
      const { p50Us } = await server.do({ does: 'slice', requests: SLICE })
      found.get(front)?.push(p50Us)
    }
  }
  return found
}

async function overSockets(server: MeasuredServer): Promise<Omit<Round, 'insideUs'>> {
  await server.do({ does: 'watch' })
  const burst = await server.load.burst(BURST)
  const { cpuUs, garbageBytes }: Answers['used'] = await server.do({ does: 'used' })
  return { ...burst, cpuUs: cpuUs / BURST, garbageBytes: garbageBytes / BURST }
}

/** A server that does less than it should would be fast: before and after it is measured. @throws Error */
async function checkAnswers(servers: ReadonlyMap<Front, MeasuredServer>): Promise<void> {
  const fields = new Map<Front, number>()
  for (const [front, server] of servers) {
    const head = await server.load.head()
    const status = head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)
    if (status !== (isRefused(front) ? '429' : '200')) throw new Error(`${front}: an answer of ${status}`)
    if (isRefused(front) && !/^retry-after: \d+$/im.test(head)) throw new Error(`${front}: no Retry-After`)
    fields.set(front, head.match(/^(x-)?ratelimit[^:]*:/gim)?.length ?? 0)
  }
  for (const [one, other] of [
    ['one', 'peer'],
    ['one, refused', 'peer, refused'],
    ['two', 'fields'],
  ] as const) {
    const [ours, theirs] = [fields.get(one), fields.get(other)]
    if (ours === 0 || (ours !== undefined && theirs !== undefined && ours !== theirs))
      throw new Error(`${one}: ${ours} fields, ${other}: ${theirs}`)
  }
}

/** `server-process.ts` in one file that any Node runs. Packages stay where they are. */
async function bundled(): Promise<string> {
  const outfile = fileURLToPath(new URL('../../node_modules/.cache/server-process.mjs', import.meta.url))
  await build({
    entryPoints: [fileURLToPath(new URL('server-process.ts', import.meta.url))],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
  })
  return outfile
}
