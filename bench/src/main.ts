import { parseArgs } from 'node:util'
import { environment, versionsOf } from './environment.js'
import { figureOf, isReached, isWithinGate } from './goal.js'
import type { Findings, Part } from './part.js'
import { clientsPart } from './parts/clients.js'
import { controlPart } from './parts/control.js'
import { corePart } from './parts/core.js'
import { growthPart } from './parts/growth.js'
import { memoryPart } from './parts/memory.js'
import { redisPart } from './parts/redis.js'
import { tableOf } from './tables.js'
import { writeDocs } from './write-docs.js'

const PARTS: Readonly<Record<string, Part>> = {
  core: corePart,
  memory: memoryPart,
  growth: growthPart,
  redis: redisPart,
  clients: clientsPart,
  control: controlPart,
}

/** What CI's short form runs where no part is named. */
const IN_SHORT = ['core', 'memory']

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
for (const name of names) found[name] = await (PARTS[name] as Part)({ short: flags.short, say })
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
if (flags.write) writeDocs(found, versions)

const past = all.flatMap(({ rows }) => rows).filter((row) => !isWithinGate(row))
for (const { what, against } of past) console.error(`past its gate: ${what}, against ${against}`)
process.exit(past.length > 0 ? 1 : 0)
