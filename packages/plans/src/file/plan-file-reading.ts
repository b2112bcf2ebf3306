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
 * Makes a book of a file's content.
 *
 * @param scopes The scopes that the program uses. A file without one of these is refused: requests to its routes would fail.
 * @throws RailError `RAIL_BAD_PLAN` with each problem on a line of its own
 */
export function bookFrom(path: string, bytes: Buffer, scopes: ReadonlySet<string>, clock: Clock): PlanBook {
  const document = documentFrom(path, bytes)
  const book = createPlanBook(document, { clock })
  const missing = [...scopes].filter((scope) => !book.hasScope(scope))
  if (missing.length === 0) return book
  throw new RailError(
    'RAIL_BAD_PLAN',
    `${path}: expected the scopes that the program uses, got no plan with ${missing.join(', ')}. Keep them, as {} for no limit.`,
  )
}

function documentFrom(path: string, bytes: Buffer): PlanDocument {
  const { document, problems } = readPlanText(bytes, formatOf(path))
  if (document !== undefined) return document
  const lines = problems.slice(0, 10).map((problem) => problemLine(path, problem))
  const more = problems.length > lines.length ? [`… and ${problems.length - lines.length} more.`] : []
  throw new RailError('RAIL_BAD_PLAN', [...lines, ...more].join('\n'))
}

/** A hash that changes with the content of a file. */
export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * The state of a file by its metadata, which is cheap to read. It is final once any later write must change it, even on a
 * file system with coarse times.
 */
export async function stateOf(path: string): Promise<{ state: string; isFinal: boolean }> {
  const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs } = await stat(path, { bigint: true })
  const age = Date.now() - Number(mtimeMs)
  return { state: [dev, ino, size, mtimeNs, ctimeNs].join(), isFinal: age > COARSEST_MTIME_MS }
}

/** FAT stores times to 2 seconds. */
const COARSEST_MTIME_MS = 3_000
