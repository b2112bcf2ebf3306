#!/usr/bin/env node
import { writeSync } from 'node:fs'
import { check } from './file/check.js'

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

process.exitCode = check(process.argv.slice(2), { out: writeTo(1), error: writeTo(2) })
