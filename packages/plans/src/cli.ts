#!/usr/bin/env node
import { writeSync } from 'node:fs'
import { check } from './file/check.js'

/** Writes a line synchronously, so that none is lost at the exit. A closed reader (`| head`) is not a failure. */
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

process.exitCode = check(process.argv.slice(2), { out: writeTo(1), error: writeTo(2) })
