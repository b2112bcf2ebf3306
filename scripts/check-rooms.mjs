// Checks who imports what. A package that has rooms names its doors in rooms.json, and for each room the rooms that it may
// import. Every file has to be a door or lie in a room. Fails on any other arrow between rooms, and on any circle between files.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { finish, root } from './workspace.mjs'

const IMPORT = /(?:^|\n) *(?:import|export)\b[^'"`;]*?from *['"](\.[^'"]+)['"]|\bimport *\(?\s*['"](\.[^'"]+)['"]/g

/** The relative imports in a source. */
export const importsIn = (text) => [...text.matchAll(IMPORT)].map(([, named, other]) => named ?? other)

/** Every import of a package's sources: by file, the files that it imports, types too. */
export function importsOf(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.ts'))
  return new Map(
    files.map((file) => {
      const targets = importsIn(readFileSync(join(folder, file), 'utf8')).map((link) =>
        relative(folder, resolve(folder, dirname(file), link)).replace(/\.js$/, '.ts'),
      )
      return [file, targets.filter((target) => files.includes(target))]
    }),
  )
}

/** The room that a file lies in; `undefined` for a file beside the rooms. */
const roomOf = (file) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : undefined)

function wrongArrows(name, imports, { doors, ...rooms }) {
  return [...imports].flatMap(([file, targets]) => {
    // A door may import all rooms.
    if (doors.includes(file)) return []
    const room = roomOf(file)
    if (rooms[room] === undefined) return [`${name}: ${file} is no door of rooms.json and lies in none of its rooms`]
    return targets
      .filter((target) => roomOf(target) !== room && !rooms[room].includes(roomOf(target)))
      .map((target) => `${name}: ${file} imports ${target}; ${room} may import ${rooms[room].join(', ') || 'no room'}`)
  })
}

/** Circles between files, each once. */
function circles(name, imports) {
  const done = new Set()
  const found = []
  const walk = (file, path) => {
    if (path.includes(file)) found.push(`${name}: a circle: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`)
    if (done.has(file) || path.includes(file)) return
    for (const target of imports.get(file)) walk(target, [...path, file])
    done.add(file)
  }
  for (const file of imports.keys()) walk(file, [])
  return found
}

/** What is wrong with a package's imports. `rooms`: the rooms that each room may import; `undefined`: it has no rooms. */
export function faultsOf(name, imports, rooms) {
  return [...(rooms === undefined ? [] : wrongArrows(name, imports, rooms)), ...circles(name, imports)]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const packages = readdirSync(join(root, 'packages')).filter((name) => existsSync(join(root, 'packages', name, 'src')))
  const faults = packages.flatMap((name) => {
    const path = join(root, 'packages', name, 'rooms.json')
    const rooms = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
    return faultsOf(name, importsOf(join(root, 'packages', name, 'src')), rooms)
  })
  finish(`rooms of ${packages.length} packages`, faults)
}
