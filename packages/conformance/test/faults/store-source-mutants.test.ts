import { fileURLToPath } from 'node:url'
import type { MemoryStore, Store } from '@rail/core'
import fc from 'fast-check'
import { build, type Rollup } from 'vite'
import { describe, expect, test } from 'vitest'
import { program, vectorOf } from '../../src/vectors/programs.js'
import { checkVector } from '../../src/vectors/vectors.js'

/** Edits of core's sources, and the fault that they make. At least one of the patterns must match. */
interface SourceMutant {
  readonly fault: string
  readonly edits: readonly (readonly [from: RegExp, to: string])[]
}

const MUTANTS: readonly SourceMutant[] = [
  {
    fault: 'the wait without ahead',
    edits: [[/return aheadMs \+ Math\.ceil\(\(owed/, 'return Math.ceil((owed']],
  },
  { fault: 'floor for ceil in the wait', edits: [[/Math\.ceil\(\(owed - /, 'Math.floor((owed - ']] },
  { fault: 'floor for ceil until full', edits: [[/Math\.ceil\(owed \/ /, 'Math.floor(owed / ']] },
  {
    fault: 'take before check',
    edits: [
      [/if \(allowed\) owed = /g, 'if (fits(owed, limit, tokens)) owed = '],
      [/if \(allowed\) \{/g, 'if (fits(owed[bucket] as number, limit, tokens)) {'],
      [/allowed \? owedAfterTake\(before/g, 'fits(before, limit, tokens) ? owedAfterTake(before'],
      [/if \(allowed\) buckets\[index\]/, 'if (!refused) buckets[index]'],
    ],
  },
  { fault: 'the cap is left out', edits: [[/return left > 0 \? left : 0/, 'return left']] },
  { fault: 'at is moved back', edits: [[/= now \+ aheadMs/g, '= now']] },
  { fault: 'the carry-over is rounded down', edits: [[/ \+ from - 1n\) \/ from/, ') / from']] },
  {
    fault: 'the carry-over keeps grains',
    edits: [[/if \(before\.grain === after\.grain \|\| grains === 0\)/, 'if (grains >= 0)']],
  },
  {
    fault: 'a lowered limit shows all that was spent',
    edits: [[/Math\.min\(shown \+ counted, after\.size\)/, '(shown + counted)']],
  },
  {
    fault: 'a lowered limit forgets what it cannot show',
    edits: [[/sum\(sum\(shown, cut\), debt\)/, 'sum(Math.min(shown + counted, after.size), debt)']],
  },
  {
    fault: 'a limit that is lowered again forgets what was cut off before',
    edits: [[/sum\(sum\(shown, cut\), debt\)/, 'sum(shown, debt)']],
  },
  { fault: 'what was cut off never counts again', edits: [[/shown \+ counted/, 'shown']] },
  { fault: 'all that was cut off counts again', edits: [[/= Math\.min\(cut, Math\.max\([^\n]*/, '= cut']] },
  {
    fault: 'what was cut off does not drain',
    edits: [
      [/drained\(state\[first \+ kept[^)]*\)/, '(state[first + kept.length + slot] as number)'],
      [/drained\(kept\.total, elapsed, kept\.limit\)/, 'kept.total'],
    ],
  },
  { fault: 'a debt counts as spent', edits: [[/Math\.min\(owed, before\.size\)/, 'owed']] },
  {
    fault: 'a cost above the share never fits',
    edits: [[/\(cost < limit\.burst \? cost : limit\.burst\)/, 'cost']],
  },
  { fault: 'a cost above the whole limit fits', edits: [[/cost <= limit\.wholeBurst && /, '']] },
  { fault: 'a cost of 0 is refused by an empty bucket', edits: [[/cost === 0 \|\| /, '']] },
  {
    fault: 'what is left is rounded up',
    edits: [[/Math\.floor\(\(limit\.size/, 'Math.ceil((limit.size']],
  },
  {
    fault: 'a step back is always waited out',
    edits: [[/MOST_AHEAD_MS = 60_000/, 'MOST_AHEAD_MS = Infinity']],
  },
  {
    fault: 'a step back of 60,000 ms re-anchors',
    edits: [[/MOST_AHEAD_MS = 60_000/, 'MOST_AHEAD_MS = 59_999']],
  },
  {
    fault: 'limits that count requests take the cost',
    edits: [[/limit\.counts === 'cost' \? cost : 1/, 'cost']],
  },
]

const core = fileURLToPath(new URL('../../../core/src/', import.meta.url))

/** A memory store from one of core's sources, written otherwise. */
async function storeFrom({ fault, edits }: SourceMutant, file: string): Promise<() => Store> {
  let edited = false
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, lib: { entry: `${core}memory/${file}`, formats: ['es'] } },
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        transform(code, id) {
          if (!id.includes('/core/src/')) return code
          const text = edits.reduce((text, [from, to]) => text.replace(from, to), code)
          edited ||= text !== code
          return text
        },
      },
    ],
  })) as Rollup.RollupOutput[]
  if (edits.length > 0 && !edited) throw new Error(`edits: expected a match of "${fault}" in core's sources, got none.`)
  const { code } = (built[0] as Rollup.RollupOutput).output[0]
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    MemoryStore: typeof MemoryStore
  }
  return () => new module.MemoryStore()
}

function compared(create: () => Store): Promise<void> {
  const property = fc.asyncProperty(program(40), (drawn) => checkVector(create(), vectorOf('drawn', drawn)))
  return fc.assert(property, { seed: 1, numRuns: 200, endOnFailure: true }) as Promise<void>
}

describe.each(['memory-store.ts', 'small-store.ts'])(
  'drawn programs, compared with exact arithmetic, of %s',
  (file) => {
    test('find nothing in the store as it is', async () => {
      await compared(await storeFrom({ fault: 'none', edits: [] }, file))
    })

    test.each(MUTANTS)('find that $fault', async (mutant) => {
      await expect(compared(await storeFrom(mutant, file))).rejects.toThrow(/Property failed/)
    })
  },
)
