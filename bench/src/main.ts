import { parseArgs } from 'node:util'
import { environment, versionsOf } from './environment.js'
import { figureOf, isReached, isWithinGate } from './goal.js'
import type { Findings, Part } from './part.js'
import { tableOf } from './tables.js'
import { writeDocs } from './write-docs.js'

/** Loaded when they are run: each measures against other packages. */
const PARTS: Readonly<Record<string, () => Promise<Part>>> = {
  core: async () => (await import('./parts/core.js')).corePart,
  memory: async () => (await import('./parts/memory.js')).memoryPart,
  frameworks: async () => (await import('./parts/frameworks.js')).frameworksPart,
  redis: async () => (await import('./parts/redis.js')).redisPart,
  clients: async () => (await import('./parts/clients.js')).clientsPart,
  control: async () => (await import('./parts/control.js')).controlPart,
  size: async () => (await import('./parts/size.js')).sizePart,
  growth: async () => (await import('./parts/growth.js')).growthPart,
}

/** What CI's short form runs where no part is named. */
const IN_SHORT = ['core', 'memory', 'frameworks']

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})

const names =
  positionals.length === 0 ? Object.keys(PARTS).filter((name) => !flags.short || IN_SHORT.includes(name)) : positionals
const unknown = names.filter((name) => !(name in PARTS))
if (unknown.length > 0) {
  console.error(`No part is named ${unknown.join(', ')}. There are: ${Object.keys(PARTS).join(', ')}.`)
  process.exit(2)
}

const say = (what: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what}`)
}
const found: Record<string, Findings> = {}
for (const name of names) {
  const part = await PARTS[name]?.()
  if (part === undefined) continue
  found[name] = await part({ short: flags.short, say })
  // At once: a later part that fails takes nothing with it.
  if (flags.write) writeDocs({ [name]: found[name] }, versionsOf(found[name].packages))
}
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')

const all = Object.values(found)
const versions = versionsOf(all.flatMap(({ packages }) => packages))
if (flags.json) {
  const parts = all.map(({ title, rows }) => ({
    title,
    rows: rows.map((row) => ({
      ...row,
      figure: figureOf(row),
      reached: isReached(row),
      withinGate: isWithinGate(row),
    })),
  }))
  console.log(JSON.stringify({ ...environment(), versions, parts }, undefined, 2))
} else {
  for (const { title, rows } of all) console.log(`\n${title}\n\n${tableOf(rows)}`)
  console.log(`\n${Object.values(environment()).join(', ')}\n${versions.join(', ')}`)
}
const past = all.flatMap(({ rows }) => rows).filter((row) => !isWithinGate(row))
for (const { what, against } of past) console.error(`past its gate: ${what}, against ${against}`)
process.exit(past.length > 0 ? 1 : 0)
