import { createRequire } from 'node:module'

/** A Node to run servers with. */
export interface NodeBinary {
  readonly name: string
  readonly path: string
}

/** The machine's own Node, and those among the packages of `npm run test:runtimes`, where they are installed. */
export function nodes(): NodeBinary[] {
  const [own] = process.versions.node.split('.')
  const others = ['22', '24'].filter((major) => major !== own).flatMap(installed)
  return [{ name: `Node ${own}`, path: process.execPath }, ...others]
}

function installed(major: string): NodeBinary[] {
  const { resolve } = createRequire(new URL('../../../tests/runtimes/package.json', import.meta.url))
  try {
    return [{ name: `Node ${major}`, path: resolve(`node-${major}-${process.platform}-${process.arch}/bin/node`) }]
  } catch {
    return []
  }
}
