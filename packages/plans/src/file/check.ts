import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { pathText } from '@rail/core'
import { shown } from '@rail/core/store'
import { countOf, formatOf, problemLine } from './plan-file-reading.js'
import { type LocatedProblem, readPlanText } from './plan-text.js'

/** Where a command writes, in whole lines: findings to `out`, errors of the command itself to `error`. */
export interface Output {
  out(line: string): void
  error(line: string): void
}

const USAGE = `Usage: rail-plans check [--json] <file>…

Check plan files, and list each problem with its line. A file is JSON if its name ends in .json, else YAML.

  --json   write one JSON object instead of lines
  --help   show this help

Exit code: 0 no problems, 1 problems in a file, 2 wrong usage, or a file that cannot be read.

  rail-plans check plans.yaml
  npx @rail/plans check --json plans/*.yaml   (without installing it)`

/** The findings in one file. */
interface Finding {
  readonly path: string
  readonly plans: number
  readonly customers: number
  readonly problems: readonly LocatedProblem[]
}

/** Runs the command `check`. Returns the exit code. */
export function check(args: readonly string[], { out, error }: Output): 0 | 1 | 2 {
  const wrongUsage = (message: string): 2 => {
    error(`${message}\n\n${USAGE}`)
    return 2
  }
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(args)
  } catch (cause) {
    return wrongUsage(cause instanceof Error ? cause.message : String(cause))
  }
  const [command, ...paths] = parsed.positionals
  if (parsed.values.help) {
    out(USAGE)
    return 0
  }
  if (command !== 'check') {
    return wrongUsage(`command: expected check, got ${command === undefined ? 'none' : shown(command)}.`)
  }
  if (paths.length === 0) return wrongUsage('check: expected a file, got none.')
  let findings: readonly Finding[]
  try {
    findings = paths.map(findingOf)
  } catch (cause) {
    error(cause instanceof Error ? cause.message : String(cause))
    return 2
  }
  if (parsed.values.json) out(JSON.stringify({ format: 1, files: findings.map(reportOf) }))
  else for (const line of findings.flatMap(linesOf)) out(line)
  return findings.some(({ problems }) => problems.length > 0) ? 1 : 0
}

function parse(args: readonly string[]) {
  const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const
  return parseArgs({ args: [...args], options, allowPositionals: true })
}

function findingOf(path: string): Finding {
  const { document, problems = [] } = readPlanText(readFileSync(path), formatOf(path))
  return { path, plans: countOf(document?.plans), customers: countOf(document?.customers), problems }
}

function reportOf({ path, plans, customers, problems }: Finding): object {
  if (problems.length === 0) return { path, ok: true, plans, customers, problems }
  return { path, ok: false, problems: problems.map((problem) => ({ ...problem, path: pathText(problem.path) })) }
}

function linesOf({ path, plans, customers, problems }: Finding): readonly string[] {
  if (problems.length > 0) return problems.map((problem) => problemLine(path, problem))
  return [`${path}: no problems, ${counted(plans, 'plan')}, ${counted(customers, 'customer')}`]
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}
