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
import { jsonFault } from './json-fault.js'

/** A problem and its place in the source: line and column from 1. */
export interface LocatedProblem extends PlanProblem {
  readonly line: number
  readonly column: number
}

/** A plan document, or its problems. */
export type PlanText =
  | { readonly document: PlanDocument; readonly problems?: undefined }
  | { readonly document?: undefined; readonly problems: readonly LocatedProblem[] }

/**
 * Reads a plan document from JSON or YAML 1.2 in UTF-8, and finds all of its problems and their lines. YAML keys are read as
 * they are written: a customer `007` stays `007`. `$schema` at the top is for editors and is ignored.
 */
export function readPlanText(bytes: Buffer, format: 'json' | 'yaml'): PlanText {
  const lines = new LineCounter()
  const source = bytes.toString('utf8').replace(/^\uFEFF/, '')
  // The parser's own check for duplicate keys compares each key with each, which takes minutes for a long list of customers.
  const parsed = parseDocument(source, { lineCounter: lines, stringKeys: true, uniqueKeys: false, prettyErrors: false })
  const located = (problem: PlanProblem, offset: number): LocatedProblem => {
    const { line, col } = lines.linePos(offset)
    return { ...problem, line: Math.max(1, line), column: Math.max(1, col) }
  }
  const atError = ({ message, pos }: YAMLError): LocatedProblem => located({ path: [], message: `${message}.` }, pos[0])

  if (!isUtf8(bytes)) {
    const message = 'expected UTF-8, got other bytes. Save the file as UTF-8.'
    return { problems: [located({ path: [], message }, source.indexOf('\uFFFD'))] }
  }
  const duplicates = duplicateKeys(parsed.contents).map(({ path, offset }) =>
    located({ path, message: 'expected each name once, got it twice. Keep one.' }, offset),
  )
  if (format === 'json') {
    const fault = jsonFault(source)
    if (fault !== undefined) return { problems: [located({ path: [], message: fault.message }, fault.offset)] }
  } else {
    const faults = [...parsed.errors, ...parsed.warnings]
    if (faults.length > 0) return { problems: faults.map(atError) }
    const unknown = unknownAliases(parsed.contents)
    if (unknown.length > 0)
      return { problems: unknown.map(({ message, offset }) => located({ path: [], message }, offset)) }
  }
  if (duplicates.length > 0) return { problems: duplicates }
  // Any number of aliases is safe: they are references to one value, and the depth of the check does not depend on them.
  const value: unknown = format === 'json' ? JSON.parse(source) : parsed.toJS({ maxAliasCount: -1 })
  const document = withoutSchema(value)
  const problems = planProblems(document)
  if (problems.length === 0) return { document: document as PlanDocument }
  return { problems: problems.map((problem) => located(problem, offsetOf(parsed.contents, problem.path))) }
}

function withoutSchema(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { $schema, ...document } = value as Record<string, unknown>
  return document
}

/** Aliases without an anchor before them. */
function unknownAliases(contents: ParsedNode | null): readonly { message: string; offset: number }[] {
  const found: { message: string; offset: number }[] = []
  const anchors = new Set<string>()
  if (contents === null) return found
  visit(contents, {
    Node: (_, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.add(node.anchor)
      } else if (!anchors.has(node.source)) {
        found.push({
          message: `expected an anchor &${node.source} before this alias, got none. Move it up, or correct the name.`,
          offset: startOf(node),
        })
      }
    },
  })
  return found
}

interface DuplicateKey {
  readonly path: readonly string[]
  readonly offset: number
}

function duplicateKeys(contents: ParsedNode | null): readonly DuplicateKey[] {
  const found: DuplicateKey[] = []
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

/** The offset of a path: that of its last name that the source has. */
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
