// Counts faults of style in the Markdown files and in the comments and strings of packages/*/src, and compares the counts with
// scripts/style-baseline.json. A count may not grow. When one shrank, `--write` lowers the baseline. `--reset` takes all counts
// as they are, which is for folders that moved.
// `--list` prints every finding, `--list docs/guides` those of files whose path starts so.
//
// Quotations do not count: block quotes in Markdown, and phrases under `allowed` in the baseline,
// each `{ file, text, why }`.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { blank, proseOfMarkdown, proseOfSource } from './prose.mjs'
import { finish, markdownFiles, root } from './workspace.mjs'

const BASELINE = 'scripts/style-baseline.json'
const MOST_WORDS = { sentence: 35, cell: 25 }

/** Words that a plainer one replaces; the plainer one stands behind. */
const FORBIDDEN = [
  [/\b(?:told|tells? (?:it|them))\b/gi, 'called, reported or sent'],
  [/\basked\b/gi, 'checked or called'],
  [/\bheld\b/gi, 'enforced, limited or kept'],
  [/\blets? (?:\w+ )?in\b|\bletting in\b/gi, 'allowed'],
  [/\blet(?:s|ting)? (?:\w+ )?through\b/gi, 'allowed'],
  [/\b(?:comes|came) to\b/gi, 'is, becomes or returns'],
  [/\banew\b/gi, 'again'],
  [/\bas good as\b/gi, 'the same as'],
  [/\bfor who\b/gi, 'for a client that …'],
  [/\ba text\b|\btexts\b|\b(?:is|are) no text\b|\b(?:empty|other|same|long|short) text\b/gi, 'string'],
  [/\bto and fro\b/gi, 'back and forth'],
  [/\byardsticks?\b/gi, 'baseline'],
  [/\b(?:truly|simply|obvious(?:ly)?)\b/gi, 'nothing'],
]
/** Before "that" no comma stands, except in "that is". */
const COMMA = /, that (?!is\b)/gi

/** The class that a file is counted in: its folder, or its package. */
function classOf(file) {
  const [, source] = file.match(/^(packages\/[^/]+\/src)\//) ?? []
  if (source) return source
  if (/^(packages|examples)\//.test(file)) return `${file.split('/')[0]}/*/README.md`
  return dirname(file) === '.' ? file : dirname(file)
}

const sourceFiles = () =>
  readdirSync(join(root, 'packages')).flatMap((name) => {
    const folder = join('packages', name, 'src')
    if (!existsSync(join(root, folder))) return []
    const files = readdirSync(join(root, folder), { recursive: true })
    return files.filter((file) => file.endsWith('.ts')).map((file) => join(folder, file))
  })

/** What is wrong with a piece of prose. */
function findingsOf(file, { line, text, kind }) {
  const at = (index) => `${file}:${line + text.slice(0, index).split('\n').length - 1}`
  const found = FORBIDDEN.flatMap(([pattern, plain]) =>
    [...text.matchAll(pattern)].map((match) => ({
      kind: 'words',
      finding: `${at(match.index)}: "${match[0]}". Write ${plain}.`,
    })),
  )
  for (const match of text.matchAll(COMMA)) {
    found.push({ kind: 'commas', finding: `${at(match.index)}: a comma before "that". Leave it out.` })
  }
  let index = 0
  for (const part of kind === 'cell' ? [text] : text.split(/(?<=[.!?]["')*]*)(?<!\b(?:e\.g|i\.e|etc|vs)\.)(?=\s)/)) {
    const words = part.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
    if (words > MOST_WORDS[kind]) {
      const start = index + part.search(/\S/)
      found.push({ kind: `${kind}s`, finding: `${at(start)}: a ${kind} of ${words} words. Split it.` })
    }
    index += part.length
  }
  return found
}

const baseline = existsSync(join(root, BASELINE)) ? JSON.parse(readFileSync(join(root, BASELINE), 'utf8')) : undefined
const allowed = baseline?.allowed ?? []

function withoutAllowed(file, piece) {
  let { text } = piece
  for (const phrase of allowed.filter((one) => one.file === file)) text = text.replaceAll(phrase.text, blank)
  return { ...piece, text }
}

const CHECKED = /^((README|CONTRIBUTING|SECURITY)\.md|docs\/.*|\.changeset\/.*|(packages|examples)\/[^/]+\/README\.md)$/
const markdown = markdownFiles().filter((file) => CHECKED.test(file) && existsSync(join(root, file)))
const findings = [
  ...markdown.flatMap((file) => proseOfMarkdown(file).map((piece) => [file, piece])),
  ...sourceFiles().flatMap((file) => proseOfSource(file).map((piece) => [file, piece])),
].flatMap(([file, piece]) =>
  findingsOf(file, withoutAllowed(file, piece)).map((found) => ({ ...found, group: classOf(file) })),
)

const counts = {}
for (const { group, kind } of findings) {
  counts[group] ??= {}
  counts[group][kind] = (counts[group][kind] ?? 0) + 1
}

const list = process.argv.indexOf('--list')
if (list >= 0) {
  const start = process.argv[list + 1] ?? ''
  for (const { finding } of findings) if (finding.startsWith(start)) console.log(finding)
}

const KINDS = ['words', 'commas', 'sentences', 'cells']
const isReset = process.argv.includes('--reset')
const before = isReset ? counts : (baseline?.counts ?? counts)
const groups = [...new Set([...Object.keys(before), ...Object.keys(counts)])].sort()
const compared = groups.flatMap((group) =>
  KINDS.map((kind) => ({ group, kind, was: before[group]?.[kind] ?? 0, is: counts[group]?.[kind] ?? 0 })),
)
const grown = compared.filter(({ was, is }) => is > was)
const shrunk = compared.filter(({ was, is }) => is < was)
const faults = grown.map(({ group, kind, was, is }) => {
  const all = findings.filter((one) => one.group === group && one.kind === kind).map(({ finding }) => finding)
  return `${group}: expected at most ${was} ${kind}, got ${is}. One of these is new:\n${all.join('\n')}`
})
if (isReset || process.argv.includes('--write')) {
  const lowered = {}
  for (const { group, kind, was, is } of compared) {
    const count = Math.min(was, is)
    if (count > 0) lowered[group] = { ...lowered[group], [kind]: count }
  }
  writeFileSync(join(root, BASELINE), `${JSON.stringify({ allowed, counts: lowered }, undefined, 2)}\n`)
} else {
  if (baseline === undefined) faults.push(`${BASELINE}: expected counts, got no file. Run this check with --write.`)
  for (const { group, kind, was, is } of shrunk) {
    faults.push(`${group}: ${is} ${kind}, ${was} before. Lower the baseline: node scripts/check-style.mjs --write.`)
  }
}
const total = (kind) => compared.filter((one) => one.kind === kind).reduce((sum, { is }) => sum + is, 0)
finish(`style (${KINDS.map((kind) => `${total(kind)} ${kind}`).join(', ')})`, faults)
