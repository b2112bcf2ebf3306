// Finds every relative link of the Markdown files whose file or heading is not there.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { finish, markdownFiles, root } from './workspace.mjs'

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
    if (/^([a-z][a-z+.-]*:|\/\/)/i.test(link)) return []
    const [path, anchor] = link.split('#').map(decodeURIComponent)
    const target = path === '' ? join(root, file) : join(root, dirname(file), path)
    if (!existsSync(target)) return [`${file}: ${link}: there is no such file`]
    if (!anchor || !statSync(target).isFile() || !target.endsWith('.md')) return []
    return anchorsOf(target).has(anchor) ? [] : [`${file}: ${link}: there is no such heading`]
  })
}

const files = markdownFiles()
finish(`links of ${files.length} files`, files.flatMap(faultsOf))
