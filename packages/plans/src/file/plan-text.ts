import { isUtf8 } from 'node:buffer'
import { type PlanDocument, type PlanProblem, planProblems } from '@rail/core'
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml'

/** Where a problem is in a text: lines and columns from 1. */
export interface LocatedProblem extends PlanProblem {
  readonly line: number
  readonly column: number
}

/** A plan document as it was read from a text, or what is wrong with it. */
export type PlanText =
  | { readonly document: PlanDocument; readonly problems?: undefined }
  | { readonly document?: undefined; readonly problems: readonly LocatedProblem[] }

/**
 * Reads a plan document from JSON or YAML 1.2 in UTF-8, and finds everything that is wrong with it, at which line. Keys of
 * YAML are taken as they are written: a customer `007` stays one. `$schema` at the top is for editors and is left out.
 */
export function readPlanText(bytes: Buffer, format: 'json' | 'yaml'): PlanText {
  const lines = new LineCounter()
  const source = bytes.toString('utf8').replace(/^\uFEFF/, '')
  // Its own check for keys that are there twice compares each with each, which takes minutes for a long list of customers.
  const parsed = parseDocument(source, { lineCounter: lines, stringKeys: true, uniqueKeys: false, prettyErrors: false })
  const located = (problem: PlanProblem, offset: number): LocatedProblem => {
    const { line, col } = lines.linePos(offset)
    return { ...problem, line: Math.max(1, line), column: Math.max(1, col) }
  }
  const atError = ({ message, pos }: YAMLError): LocatedProblem => located({ path: [], message: `${message}.` }, pos[0])

  if (!isUtf8(bytes)) {
    const message = 'The file is not UTF-8 here, so a customer in it would be another one. Save it as UTF-8.'
    return { problems: [located({ path: [], message }, source.indexOf('\uFFFD'))] }
  }
  const twice = keysTwice(parsed.contents).map(({ path, offset }) =>
    located({ path, message: 'This name is here twice; keep one.' }, offset),
  )
  if (format === 'json') {
    const fault = jsonFault(source)
    if (fault !== undefined) return { problems: [located({ path: [], message: fault.message }, fault.offset)] }
  } else {
    const faults = [...parsed.errors, ...parsed.warnings]
    if (faults.length > 0) return { problems: faults.map(atError) }
    const lost = aliasesOfNothing(parsed.contents)
    if (lost.length > 0) return { problems: lost.map(({ message, offset }) => located({ path: [], message }, offset)) }
  }
  if (twice.length > 0) return { problems: twice }
  // Aliases, however many, are references to one thing, and a document is looked at to a depth that does not depend on them.
  const said: unknown = format === 'json' ? JSON.parse(source) : parsed.toJS({ maxAliasCount: -1 })
  const document = withoutSchema(said)
  const problems = planProblems(document)
  if (problems.length === 0) return { document: document as PlanDocument }
  return { problems: problems.map((problem) => located(problem, offsetOf(parsed.contents, problem.path))) }
}

function withoutSchema(said: unknown): unknown {
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return said
  const { $schema, ...document } = said as Record<string, unknown>
  return document
}

/** What `JSON.parse` has against a text, which says the place in words of its own, and not in every version of Node. */
function jsonFault(source: string): { message: string; offset: number } | undefined {
  try {
    JSON.parse(source)
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const [, position] = /at position (\d+)/.exec(message) ?? []
    return {
      message: `Not JSON: ${message}.`,
      offset: position === undefined ? source.trimEnd().length : Number(position),
    }
  }
}

/** Aliases whose anchor does not stand before them. */
function aliasesOfNothing(contents: ParsedNode | null): readonly { message: string; offset: number }[] {
  const found: { message: string; offset: number }[] = []
  const anchors = new Set<string>()
  if (contents === null) return found
  visit(contents, {
    Node: (_, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.add(node.anchor)
      } else if (!anchors.has(node.source)) {
        found.push({ message: `There is no &${node.source} before this *${node.source}.`, offset: startOf(node) })
      }
    },
  })
  return found
}

interface Twice {
  readonly path: readonly string[]
  readonly offset: number
}

function keysTwice(contents: ParsedNode | null): readonly Twice[] {
  const found: Twice[] = []
  if (contents === null) return found
  visit(contents, {
    Map: (_, map, ancestors) => {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        const name = nameOf(key)
        if (seen.has(name)) found.push({ path: [...pathOf(ancestors), name], offset: startOf(key) })
        seen.add(name)
      }
    },
  })
  return found
}

function pathOf(ancestors: readonly unknown[]): readonly string[] {
  return ancestors.flatMap((ancestor) => (hasKey(ancestor) ? [nameOf(ancestor.key)] : []))
}

function hasKey(value: unknown): value is { key: unknown } {
  return typeof value === 'object' && value !== null && 'key' in value
}

/** Where a path is: at the last name of it that the text has. */
function offsetOf(contents: Node | null, path: readonly string[]): number {
  let node: unknown = contents
  let offset = startOf(node)
  for (const name of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => nameOf(key) === name) : undefined
    const item = isSeq(node) ? node.items[Number(name)] : undefined
    if (pair === undefined && item === undefined) return offset
    offset = startOf(pair?.key ?? item)
    node = pair?.value ?? item
  }
  return offset
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key)
}

function startOf(node: unknown): number {
  const range = typeof node === 'object' && node !== null ? (node as Partial<Node>).range : undefined
  return range?.[0] ?? 0
}
