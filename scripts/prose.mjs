// Finds the prose of a file: in Markdown, paragraphs and cells of tables; in TypeScript, comments and strings of several words.
// Each piece is `{ line, text, kind }`, with the kind `sentence` or `cell`. Code within prose is blank.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from './workspace.mjs'

/** Spaces in place of text that does not count. They keep the line numbers. */
export const blank = (text) => text.replaceAll(/[^\n]/g, ' ')
/** Code within prose counts as one word. */
const withoutCode = (text) => text.replaceAll(/`[^`]*`/g, (code) => `x${blank(code).slice(1)}`)

/** Paragraphs, list items, headings and cells of a Markdown file, without block quotes and fences. */
export function proseOfMarkdown(file) {
  const text = withoutCode(
    readFileSync(join(root, file), 'utf8')
      .replace(/^---\n.*?\n---\n/s, blank)
      .replaceAll(/^ *(```|~~~).*?^ *\1/gms, blank)
      .replaceAll(/<!--.*?-->/gs, blank)
      .replaceAll(/^ *>.*$/gm, blank)
      .replaceAll(/\]\([^)\n]*\)|^ *\[[^\]\n]+\]: .*$/gm, blank),
  )
  const found = []
  let open
  text.split('\n').forEach((content, index) => {
    const line = index + 1
    if (/^ *\|/.test(content)) {
      open = undefined
      for (const cell of content.split(/(?<!\\)\|/)) found.push({ line, text: cell, kind: 'cell' })
    } else if (content.trim() === '' || /^ *#/.test(content)) {
      open = undefined
      if (content.trim() !== '') found.push({ line, text: content, kind: 'sentence' })
    } else if (open === undefined || /^ *([-*+]|\d+\.) /.test(content)) {
      open = { line, text: content, kind: 'sentence' }
      found.push(open)
    } else open.text += `\n${content}`
  })
  return found
}

/** Comments and strings of a TypeScript file. */
export function proseOfSource(file) {
  const text = readFileSync(join(root, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1
  const comments = new Map()
  const found = []
  const add = (position, content) => {
    // A line is a unit: strings of several lines are help texts, or programs in another language.
    content.split('\n').forEach((part, index) => {
      if (/\S\s+\S/.test(part)) found.push({ line: lineOf(position) + index, text: part, kind: 'sentence' })
    })
  }
  const visit = (node) => {
    if (node.kind < ts.SyntaxKind.FirstNode) {
      for (const range of ts.getLeadingCommentRanges(text, node.pos) ?? []) comments.set(range.pos, range.end)
      for (const range of ts.getTrailingCommentRanges(text, node.end) ?? []) comments.set(range.pos, range.end)
    }
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      for (const range of ts.getLeadingCommentRanges(text, node.pos) ?? []) comments.set(range.pos, range.end)
      return
    }
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) add(node.getStart(), node.text)
    if (ts.isTemplateExpression(node)) add(node.getStart(), withoutValues(node))
    for (const child of node.getChildren(source)) if (!ts.isJSDoc(child)) visit(child)
  }
  visit(source)
  return [
    ...found,
    ...proseOfComments(
      text,
      [...comments].sort(([a], [b]) => a - b),
      lineOf,
    ),
  ]
}

/** A template's text, with one word for each value. */
const withoutValues = (node) => [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('x')

/** Comments by paragraph and tag. Line comments that follow each other are one. */
function proseOfComments(text, comments, lineOf) {
  const found = []
  let previous
  for (const [start, end] of comments) {
    const line = lineOf(start)
    const isLine = text.startsWith('//', start)
    const raw = text.slice(start, end).replace(/^\/\/+|^\/\*+|\*+\/$/g, '')
    const content = withoutCode(
      raw
        .replaceAll(/^ *\* ?/gm, '')
        .replaceAll(/```.*?```/gs, blank)
        .replaceAll(/@example.*?(?=\n@|$)/gs, blank)
        .replaceAll(/\{@link(?:code)? ([^}]*)\}/g, 'x'),
    )
    if (isLine && previous?.isLine && previous.last === line - 1) {
      previous.entry.text += `\n${content}`
      previous.last = line
      continue
    }
    let at = line
    for (const part of content.split(/(?<=\n)(?=\s*(?:\n|@|- ))/)) {
      found.push({ line: at, text: part, kind: 'sentence' })
      at += part.split('\n').length - 1
    }
    previous = { isLine, last: lineOf(end), entry: found.at(-1) }
  }
  return found
}
