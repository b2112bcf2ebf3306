import { setImmediate } from 'node:timers/promises'
import { shown } from '@rail/core/adapter'
import { type Fault, Problem } from '../base/problem.js'
import { shapeFaults } from '../base/shape-faults.js'
import { checkCustomers, planContext, plansRev, syncCustomerOf } from '../plans/check.js'
import { type Author, change } from '../records/history.js'
import type { Database } from '../store/database.js'
import { type CsvLine, csvLine, parseCsv } from './csv.js'
import { customerBodySchema, customerIdSchema } from './customer-schemas.js'
import { type CustomerParts, findCustomer, listCustomers, partsOf, rowOf, writeCustomer } from './customers.js'

/** The columns, in the order of an export. An import needs `id`, and changes nothing that it has no column for. */
export const CSV_COLUMNS = ['id', 'name', 'plan', 'note', 'overrides'] as const

/** What an import did. */
export interface ImportResult {
  readonly created: number
  readonly changed: number
  readonly unchanged: number
}

/** This many customers are stored at a time: some milliseconds. Servers get their answers in between. */
const CHUNK = 200
const MOST_FAULTS = 100

/** All customers at this moment as CSV, piece by piece. `overrides` is JSON, as in the API. */
export async function* exportCustomers(db: Database): AsyncGenerator<string> {
  const reader = await db.snapshot()
  try {
    yield csvLine(CSV_COLUMNS)
    for (let after: string | undefined = ''; after !== undefined; await setImmediate()) {
      const page = listCustomers(reader, { after, limit: CHUNK })
      if (page.length > 0) yield page.map((one) => csvLine(cellsOf(one))).join('')
      after = page.at(-1)?.id
    }
  } finally {
    reader.close()
  }
}

/**
 * Stores the customers of a CSV file. All lines are checked first, and nothing is stored if one is wrong. Then they are
 * stored in parts: if the disk fills up in between, import the same file again. No customer is removed.
 *
 * @param dryRun Only check, and count what would change.
 * @throws Problem `invalid`, with the line of each fault
 */
export async function importCustomers(db: Database, text: string, dryRun: boolean, by: Author): Promise<ImportResult> {
  const { columns, lines } = await tableOf(text)
  const faults: Fault[] = []
  const result = { created: 0, changed: 0, unchanged: 0 }
  const chunks = Array.from({ length: Math.ceil(lines.length / CHUNK) }, (_, index) =>
    lines.slice(index * CHUNK, (index + 1) * CHUNK),
  )
  const checkedAt = plansRev(db)
  for (const chunk of chunks) {
    faults.push(...faultsIn(db, columns, chunk))
    await setImmediate()
  }
  faults.push(...repeated(columns, lines))
  if (faults.length > 0) {
    const [first] = faults
    throw new Problem(
      'invalid',
      `Nothing was imported. ${first?.path}: ${first?.message}`,
      faults.slice(0, MOST_FAULTS),
    )
  }
  for (const chunk of chunks) {
    db.transaction(() => {
      const [fault] = dryRun || plansRev(db) === checkedAt ? [] : faultsIn(db, columns, chunk)
      if (fault !== undefined) {
        throw new Problem('stale', `The plans changed during the import. ${fault.path}: ${fault.message}`)
      }
      for (const line of chunk) result[store(db, read(db, columns, line), dryRun, by)] += 1
    })
    await setImmediate()
  }
  return result
}

function store(db: Database, { id, before, after }: Entry, dryRun: boolean, by: Author): keyof ImportResult {
  const entry = { ...by, kind: 'customer', id, before, after } as const
  if (JSON.stringify(before) === JSON.stringify(after)) return 'unchanged'
  if (!dryRun) change(db, entry, (rev) => writeCustomer(db, id, after, rev, by.at))
  return before === null ? 'created' : 'changed'
}

/** A customer before and after a line of the file. */
interface Entry {
  readonly id: string
  readonly before: CustomerParts | null
  readonly after: CustomerParts
}

function faultsIn(db: Database, columns: readonly string[], lines: readonly CsvLine[]): Fault[] {
  const faults: Fault[] = []
  const sound: { line: number; entry: Entry }[] = []
  for (const line of lines) {
    try {
      sound.push({ line: line.line, entry: read(db, columns, line) })
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      faults.push({ path: `line ${line.line}`, message: error.message })
    }
  }
  const lineOf = new Map(sound.map(({ line, entry }) => [entry.id, line]))
  const after = new Map(sound.map(({ entry: { id, after } }) => [id, syncCustomerOf(rowOf(id, after))]))
  for (const { path, message } of checkCustomers(planContext(db), [...after.values()])) {
    const [, id = '', ...rest] = path
    faults.push({ path: [`line ${lineOf.get(id)}`, ...rest].join('.'), message })
  }
  return faults
}

function read(db: Database, columns: readonly string[], { cells }: CsvLine): Entry {
  if (cells.length !== columns.length) {
    throw new SyntaxError(`expected ${columns.length} cells, got ${cells.length}.`)
  }
  const cell = Object.fromEntries(columns.map((column, index) => [column, unguarded(cells[index] as string)]))
  const id = customerIdSchema.safeParse(cell.id)
  if (!id.success) throw new SyntaxError(`id: ${shapeFaults(id.error, cell.id)[0]?.message}`)
  const found = findCustomer(db, id.data)
  const before = found === undefined ? null : partsOf(found)
  const texts = Object.entries(cell).filter(([column]) => column !== 'id' && column !== 'overrides')
  const body = {
    ...before,
    ...Object.fromEntries(texts.map(([column, text]) => [column, text === '' ? null : text])),
    ...(cell.overrides !== undefined && { overrides: overridesIn(cell.overrides) }),
  }
  const { success, data, error } = customerBodySchema.safeParse(body)
  if (!success) {
    const [fault] = shapeFaults(error, body)
    throw new SyntaxError(`${fault?.path}: ${fault?.message}`)
  }
  return { id: id.data, before, after: partsOf(data) }
}

function overridesIn(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SyntaxError(`overrides: expected JSON such as {"per_second":50} or nothing, got ${shown(text)}.`, {
      cause,
    })
  }
}

async function tableOf(text: string): Promise<{ columns: readonly string[]; lines: readonly CsvLine[] }> {
  try {
    const [header, ...lines] = await parseCsv(text)
    const columns = header?.cells.map((cell) => cell.trim()) ?? []
    const unknown = columns.find((column) => !(CSV_COLUMNS as readonly string[]).includes(column))
    if (!columns.includes('id') || unknown !== undefined || new Set(columns).size < columns.length) {
      throw new SyntaxError(
        `Line 1: expected id and any of ${CSV_COLUMNS.slice(1).join(', ')}, each once, with commas in between, got ${shown(columns.join(','))}.`,
      )
    }
    return { columns, lines }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const path = /^Line (\d+)/.exec(error.message)?.[0].toLowerCase() ?? ''
    throw new Problem('invalid', `Nothing was imported. ${error.message}`, [{ path, message: error.message }])
  }
}

function repeated(columns: readonly string[], lines: readonly CsvLine[]): Fault[] {
  const at = columns.indexOf('id')
  const seen = new Map<string, number>()
  const faults: Fault[] = []
  for (const { line, cells } of lines) {
    const id = cells[at] as string
    const first = seen.get(id)
    if (first !== undefined)
      faults.push({ path: `line ${line}`, message: `expected each id once, got that of line ${first}.` })
    else seen.set(id, line)
  }
  return faults
}

function cellsOf({ id, name, plan, note, overrides }: CustomerParts & { id: string }): string[] {
  const json = Object.keys(overrides).length === 0 ? '' : JSON.stringify(overrides)
  return [id, name ?? '', plan ?? '', note ?? '', json].map(guarded)
}

// A spreadsheet runs a cell that begins like a formula, and other people choose the ids. Such a cell gets a quote before
// it, which an import removes.
const FORMULA = /^'*[=+\-@\t\r]/

function guarded(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

function unguarded(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}
