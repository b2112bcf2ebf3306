import { Connection, requestsOf } from '../frameworks/duplex.js'
import { type Framework, type Front, servers } from '../frameworks/servers.js'
import { median } from '../statistics.js'

const FRONTS: readonly Front[] = ['bare', 'again', 'no-op', 'fields', 'rail', 'peer', 'rail, refused', 'peer, refused']
const CUSTOMERS = 1_000
/** Requests of one server before the next one's turn. */
const SLICE = 100

/** Microseconds of a request, the median of each round, for each thing that may stand in front of a framework's route. */
export async function frameworkTask(input: { readonly framework: Framework; readonly rounds: number }) {
  const requests = requestsOf(CUSTOMERS)
  const sides = []
  for (const front of FRONTS) {
    const connection = new Connection(await servers[input.framework](front))
    const rounds: number[] = []
    sides.push({ front, connection, rounds, next: 0 })
  }
  for (let round = -2; round < input.rounds; round++) {
    const times = sides.map((): number[] => [])
    for (let slice = 0; slice < 40; slice++) {
      for (const [index, side] of sides.entries()) {
        for (let request = 0; request < SLICE; request++) {
          const from = performance.now()
          await side.connection.ask(requests[side.next++ % CUSTOMERS] as Buffer)
          times[index]?.push((performance.now() - from) * 1000)
        }
      }
    }
    if (round < 0) continue
    for (const [index, { rounds }] of sides.entries()) rounds.push(median(times[index] ?? []))
  }
  const heads: Record<string, string> = {}
  for (const { front, connection } of sides) heads[front] = await connection.ask(requests[0] as Buffer)
  const us = Object.fromEntries(sides.map(({ front, rounds }) => [front, rounds])) as Record<Front, number[]>
  return { us, heads }
}
