// Finds every link of the Markdown files to a file or heading that is not there. An absolute link to the project's own
// address is followed in the tree.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { REPOSITORY } from './project.mjs'
import { finish, markdownFiles, root } from './workspace.mjs'

/** A link to a file of the project by its address; the path follows. */
const OWN = new RegExp(`^${REPOSITORY.replaceAll(/[.+]/g, '\\$&')}/(?:blob|tree)/main/(.+)`)

const withoutFences = (text) => text.replaceAll(/^ *(```|~~~).*?^ *\1/gms, '')

/** The anchors of a file, made from its headings as GitHub makes them, and those written out as `id`. */
function anchorsOf(path) {
  const text = withoutFences(readFileSync(path, 'utf8'))
  const anchors = new Set([...text.matchAll(/<\w+ (?:id|name)="([^"]+)"/g)].map(([, id]) => id))
  const seen = new Map()
  for (const [, heading] of text.matchAll(/^#{1,6} +(.*?)[ #]*$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const slug = words.replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    anchors.add(count === 0 ? slug : `${slug}-${count}`)
  }
  return anchors
}

function faultsOf(file) {
  const text = withoutFences(readFileSync(join(root, file), 'utf8')).replaceAll(/`[^`\n]*`/g, '')
  const links = [...text.matchAll(/\]\(<?([^)\s>]+)|^ *\[[^\]]+\]: *<?([^\s>]+)/gm)].map(
    ([, inline, named]) => inline ?? named,
  )
  return links.flatMap((link) => {
    const [, own] = link.match(OWN) ?? []
    if (own === undefined && /^([a-z][a-z+.-]*:|\/\/)/i.test(link)) return []
    const [path, anchor] = (own ?? link).split('#').map(decodeURIComponent)
    const folder = own === undefined ? dirname(file) : ''
    const target = join(root, path === '' ? file : join(folder, path))
    if (!existsSync(target)) return [`${file}: ${link}: expected a file or folder, got none. Correct the path.`]
    if (!anchor || !statSync(target).isFile() || !target.endsWith('.md')) return []
    return anchorsOf(target).has(anchor) ? [] : [`${file}: ${link}: expected a heading of that name, got none.`]
  })
}

const files = markdownFiles()
finish(`links of ${files.length} files`, files.flatMap(faultsOf))
