import { measureLoad } from '../control/load.js'
import { atMost } from '../goal.js'
import type { Extent, Findings, Part } from '../part.js'

const LOAD = { customers: 100_000, servers: 50, active: 2_000 }

/** The control plane with many customers and servers. It takes some minutes: servers ask every 15 seconds. */
export const controlPart: Part = async ({ short, say }: Extent): Promise<Findings> => {
  const rounds = short ? 1 : 2
  const { importMs, steady, unchangedBytes, overrides, moves } = await measureLoad({
    ...LOAD,
    steadyMs: short ? 15_000 : 30_000,
    rounds,
    say,
  })
  const against = `${LOAD.customers.toLocaleString('en')} customers, ${LOAD.servers} servers`
  const memory = [steady, ...overrides.map(({ health }) => health), ...moves.map(({ health }) => health)]
  const ms = (what: string, figures: readonly number[]) => ({ what, against, rounds: figures, unit: 'ms' as const })
  return {
    title: 'The control plane',
    rows: [
      {
        ...ms(
          'an override, until every server has it',
          overrides.map(({ allMs }) => allMs),
        ),
        goal: atMost(15_000, 16_000),
      },
      {
        ...ms(
          'an override, by the answers of four real APIs',
          overrides.map(({ answersMs }) => answersMs),
        ),
        goal: atMost(15_000, 16_000),
      },
      {
        ...ms(
          '40,000 customers moved, until every server has it',
          moves.map(({ allMs }) => allMs),
        ),
        goal: atMost(15_000, 16_000),
      },
      {
        ...ms(`event loop, 99th percentile, reports of ${LOAD.active.toLocaleString('en')} customers`, [steady.p99]),
        goal: atMost(50, 150),
        note: `${steady.syncs} syncs, ${Math.round(steady.cpuMs)} ms of one core`,
      },
      {
        ...ms(
          'event loop, 99th percentile, 40,000 customers moved',
          moves.map(({ health }) => health.p99),
        ),
        goal: atMost(50, 150),
      },
      { what: 'an unchanged sync', against, rounds: [unchangedBytes], unit: 'bytes', goal: atMost(300, 300) },
      ms('import of all customers', [importMs]),
      {
        what: 'memory, resident',
        against,
        rounds: memory.map(({ rssMb }) => rssMb * 1_024),
        unit: 'kB',
        note: 'in the order of the lines above',
      },
    ],
    packages: [],
  }
}
