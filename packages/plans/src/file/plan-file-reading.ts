import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import {
  type ByName,
  type Clock,
  createPlanBook,
  type PlanBook,
  type PlanDocument,
  pathText,
  RailError,
} from '@rail/core'
import { shown } from '@rail/core/store'
import { type LocatedProblem, readPlanText } from './plan-text.js'

/** The format of a plan file, by its ending. */
export function formatOf(path: string): 'json' | 'yaml' {
  return extname(path).toLowerCase() === '.json' ? 'json' : 'yaml'
}

/** A problem as compilers write them: `plans.yaml:12:5: plans.free.limit: …`. */
export function problemLine(path: string, { line, column, path: names, message }: LocatedProblem): string {
  return `${path}:${line}:${column}: ${pathText(names)}: ${message}`
}

/** The plans of a file. */
export interface PlansRead {
  readonly book: PlanBook
  readonly defaultPlan: string | undefined
  /** The number of customers. */
  readonly customers: number
}

/**
 * Makes a book of a file's content.
 *
 * @param scopes The scopes that the program uses. A file without one of these is refused: requests to its routes would fail.
 * @throws RailError `RAIL_BAD_PLAN` with each problem on a line of its own
 */
export function plansFrom(path: string, bytes: Buffer, scopes: ReadonlySet<string>, clock: Clock): PlansRead {
  const document = documentFrom(path, bytes)
  const book = createPlanBook(document, { clock })
  const missing = [...scopes].filter((scope) => !book.hasScope(scope))
  const { defaultPlan, customers } = document
  if (missing.length === 0) return { book, defaultPlan, customers: countOf(customers) }
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

/** The number of things by name. */
export function countOf(things: ByName<unknown> | undefined): number {
  return Array.isArray(things) ? things.length : Object.keys(things ?? {}).length
}

/** A warning where a reload takes away what is seldom meant: the default plan, or most customers. */
export function lossOf(path: string, before: PlansRead, after: PlansRead): RailError | undefined {
  const lost = (expected: string, got: string): RailError =>
    new RailError(
      'RAIL_PLANS_SHRANK',
      `${path}: expected ${expected}, as before, got ${got}. It is in force: if it was not meant, put back what is missing.`,
    )
  if (before.defaultPlan !== undefined && after.defaultPlan === undefined)
    return lost(`the default plan ${shown(before.defaultPlan)}`, 'none, so customers without a plan have no limit')
  if (after.customers * 2 < before.customers) return lost(`${before.customers} customers`, String(after.customers))
  return undefined
}
