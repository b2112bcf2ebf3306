import { shown } from '@rail/core/adapter'
import type { z } from 'zod'
import type { Fault } from './problem.js'

type Issue = z.core.$ZodIssue

/** Where data differs from its schema, and what was expected there, in sentences of our own. At most 100 faults. */
export function shapeFaults({ issues }: z.ZodError, data: unknown): Fault[] {
  return issues.flatMap((issue) => faultsOf(issue, data, [])).slice(0, 100)
}

/** One issue as faults. Of a union, the faults of the form that comes closest. */
function faultsOf(issue: Issue, data: unknown, within: readonly PropertyKey[]): Fault[] {
  const path = [...within, ...issue.path]
  const [closest] =
    issue.code === 'invalid_union'
      ? issue.errors.filter((form) => form.some((one) => one.path.length > 0)).sort((a, b) => a.length - b.length)
      : []
  if (closest !== undefined) return closest.flatMap((one) => faultsOf(one, data, path))
  return [{ path: path.map(String).join('.'), message: messageOf(issue, wrongValue(issue, data, path)) }]
}

function messageOf(issue: Issue, value: unknown): string {
  if (issue.code === 'unrecognized_keys') return `unknown field ${issue.keys.map(shown).join(', ')}. Remove it.`
  const expected = [...new Set(expectedBy(issue))]
  // A refinement has its own sentence.
  if (expected.length === 0) return issue.message
  return `expected ${listed(expected)}, got ${got(value)}.`
}

/** What an issue expects, as it follows "expected"; several for a union, none where only its message says it. */
function expectedBy(issue: Issue): readonly string[] {
  switch (issue.code) {
    case 'invalid_type':
      return [TYPES[issue.expected] ?? `a value of type ${issue.expected}`]
    case 'invalid_value':
      return issue.values.map(shown)
    case 'invalid_format':
      return [FORMATS[issue.format] ?? `a string of the format ${issue.format}`]
    case 'too_small':
      return [`${number(issue.minimum)} or more${UNITS[issue.origin] ?? ''}`]
    case 'too_big':
      return [`at most ${number(issue.maximum)}${UNITS[issue.origin] ?? ''}`]
    case 'invalid_union':
      return issue.errors.flat().flatMap(expectedBy)
    case 'invalid_key':
      return issue.issues.flatMap(expectedBy).map((expected) => `a name of ${expected}`)
    default:
      return []
  }
}

const TYPES: Partial<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  tuple: 'an array',
}

const FORMATS: Partial<Record<string, string>> = {
  datetime: 'a time such as "2026-12-01T00:00:00Z"',
  // The one template among our schemas.
  template_literal: 'a duration such as "10s"',
}

const UNITS: Partial<Record<string, string>> = { string: ' characters', array: ' entries' }

const number = (bound: number | bigint): string => bound.toLocaleString('en')

function listed(expected: readonly string[]): string {
  return expected.length === 1 ? `${expected[0]}` : `${expected.slice(0, -1).join(', ')} or ${expected.at(-1)}`
}

function got(value: unknown): string {
  if (value === undefined) return 'nothing'
  return typeof value === 'string' && value.length > 60 ? `${number(value.length)} characters` : shown(value)
}

function wrongValue({ code }: Issue, data: unknown, path: readonly PropertyKey[]): unknown {
  if (code === 'invalid_key') return path.at(-1)
  return path.reduce<unknown>((value, name) => (Object(value) as Record<PropertyKey, unknown>)[name], data)
}
