import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Clock, createPlanBook, type PlanBook, type PlanDocument, pathText, RailError } from '@rail/core'
import { type LocatedProblem, readPlanText } from './plan-text.js'

/** The format of a plan file, by its ending. */
export function formatOf(path: string): 'json' | 'yaml' {
  return extname(path).toLowerCase() === '.json' ? 'json' : 'yaml'
}

/** A problem as compilers write them: `plans.yaml:12:5: plans.free.limit: …`. */
export function problemLine(path: string, { line, column, path: names, message }: LocatedProblem): string {
  return `${path}:${line}:${column}: ${pathText(names)}: ${message}`
}

/**
 * The book that a file's content makes.
 *
 * @param scopes What the program has asked for: a file that takes one of these away is a bad file, since requests to such
 * a route would fail from then on.
 * @throws RailError `RAIL_BAD_PLAN` with each problem on a line of its own
 */
export function bookFrom(path: string, bytes: Buffer, scopes: ReadonlySet<string>, clock: Clock): PlanBook {
  const document = documentFrom(path, bytes)
  const book = createPlanBook(document, { clock })
  const gone = [...scopes].filter((scope) => !book.hasScope(scope))
  if (gone.length === 0) return book
  throw new RailError(
    'RAIL_BAD_PLAN',
    `${path}: the program asks for the scopes ${gone.join(', ')}, and no plan has them any more. Keep them, as {} where they need no limit.`,
  )
}

function documentFrom(path: string, bytes: Buffer): PlanDocument {
  const { document, problems } = readPlanText(bytes, formatOf(path))
  if (document !== undefined) return document
  const lines = problems.slice(0, 10).map((problem) => problemLine(path, problem))
  const more = problems.length > lines.length ? [`… and ${problems.length - lines.length} more.`] : []
  throw new RailError('RAIL_BAD_PLAN', [...lines, ...more].join('\n'))
}

/** What tells one content of a file from another. */
export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Cheap signs of a change. They are settled once a later write would have to show in them, even where time is coarse. */
export async function lookOf(path: string): Promise<{ look: string; settled: boolean }> {
  const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs } = await stat(path, { bigint: true })
  const age = Date.now() - Number(mtimeMs)
  return { look: [dev, ino, size, mtimeNs, ctimeNs].join(), settled: age > COARSEST_MTIME_MS }
}

/** FAT keeps times to 2 seconds. */
const COARSEST_MTIME_MS = 3_000
