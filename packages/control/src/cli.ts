#!/usr/bin/env node
import { writeSync } from 'node:fs'
import { arrayBuffer } from 'node:stream/consumers'
import { main } from './cli/main.js'

/** Writes a line synchronously, so that none is lost at exit. A reader that has closed (`| head`) is not a failure. */
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
