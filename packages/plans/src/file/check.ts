import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type ByName, pathText } from '@rail/core'
import { formatOf, problemLine } from './plan-file-reading.js'
import { type LocatedProblem, readPlanText } from './plan-text.js'

/** Where a command writes, in whole lines: findings to `out`, what is wrong with the command itself to `error`. */
export interface Output {
  out(line: string): void
  error(line: string): void
}

const USAGE = `Usage: npx @rail/plans check [--json] <file>…

Says what is wrong in plan files, at which line. By its ending a file is JSON (.json) or YAML.

  --json   one JSON object instead of lines
  --help   this text

Exit code: 0 all files are fine, 1 something is wrong in one, 2 wrong usage, or a file cannot be read.

  npx @rail/plans check plans.yaml
  npx @rail/plans check --json plans/*.yaml`

/** What was found in one file. */
interface Finding {
  readonly path: string
  readonly plans: number
  readonly customers: number
  readonly problems: readonly LocatedProblem[]
}

/** The command `check`. Gives the exit code. */
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
    return wrongUsage(command === undefined ? 'A command is missing.' : `There is no command "${command}", only check.`)
  }
  if (paths.length === 0) return wrongUsage('A file is missing.')
  let findings: readonly Finding[]
  try {
    findings = paths.map(findingOf)
  } catch (cause) {
    error(cause instanceof Error ? cause.message : String(cause))
    return 2
  }
  if (parsed.values.json) out(JSON.stringify({ format: 1, files: findings.map(plainly) }))
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

function countOf(things: ByName<unknown> | undefined): number {
  return Array.isArray(things) ? things.length : Object.keys(things ?? {}).length
}

function plainly({ path, plans, customers, problems }: Finding): object {
  if (problems.length === 0) return { path, ok: true, plans, customers, problems }
  const plain = problems.map((problem) => ({ ...problem, path: pathText(problem.path) }))
  return { path, ok: false, problems: plain }
}

function linesOf({ path, plans, customers, problems }: Finding): readonly string[] {
  if (problems.length > 0) return problems.map((problem) => problemLine(path, problem))
  return [`${path}: fine, ${counted(plans, 'plan')}, ${counted(customers, 'customer')}`]
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}
