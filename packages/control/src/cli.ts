#!/usr/bin/env node
import { writeSync } from 'node:fs'
import { arrayBuffer } from 'node:stream/consumers'
import { main } from './cli/main.js'

/** Writes a line at once, so that nothing is lost at the end. A reader that has gone (`| head`) is no failure. */
function writeTo(descriptor: 1 | 2): (line: string) => void {
  return (line) => {
    try {
      writeSync(descriptor, `${line}\n`)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
      process.exit(0)
    }
  }
}

main(process.argv.slice(2), {
  out: writeTo(1),
  error: writeTo(2),
  env: process.env,
  readAll: async () => new Uint8Array(await arrayBuffer(process.stdin)),
  stopped: () =>
    new Promise((resolve) => {
      process.once('SIGINT', resolve)
      process.once('SIGTERM', resolve)
    }),
}).then((exitCode) => {
  process.exitCode = exitCode
})
