import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FILE_NAME } from '../store/database.js'
import { CliError } from './io.js'

/** The bytes of a file. @throws CliError */
export function bytesIn(file: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(file))
  } catch (cause) {
    throw new CliError(2, `Cannot read ${file}: ${reasonOf(cause)}.`, { cause })
  }
}

/** Checks that a directory has the data of a control plane. @throws CliError */
export function checkData(directory: string): void {
  if (existsSync(join(directory, FILE_NAME))) return
  throw new CliError(2, `--data: expected the directory of a control plane, got ${directory} without a ${FILE_NAME}.`)
}

/** Why the system could not use a file, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = Object(error) as { code?: string; message?: string }
  return REASONS[code ?? ''] ?? message ?? String(error)
}

const REASONS: Partial<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'it exists and is not a directory',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
}
