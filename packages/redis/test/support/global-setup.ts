import { execFileSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'
import { tell } from './redis-cluster.js'
import { hasRedisServer, startRedisServer } from './redis-server.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a live redis-server; 0 where there is none. */
    redisPort: number
  }
}

/** One redis-server for all tests that do not harm it. Where there is none it is installed, if that is allowed here. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!hasRedisServer()) install()
  if (!hasRedisServer()) {
    console.warn('The Redis tests did not run: put redis-server on the path (apt-get install redis-server).')
    project.provide('redisPort', 0)
    return undefined
  }
  const server = await startRedisServer()
  project.provide('redisPort', server.port)
  return async () => {
    const ran = Number(await tell(server, 'GET', 'rail:tests-that-ran'))
    console.info(`${ran} Redis tests ran against a live redis-server.`)
    await server.stop()
  }
}

function install(): void {
  if (process.getuid?.() !== 0) return
  const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const
  try {
    execFileSync('apt-get', ['update', '-q'], options)
    execFileSync('apt-get', ['install', '-qy', '--no-install-recommends', 'redis-server'], options)
  } catch {
    // No Debian, or no network: the tests say that they did not run.
  }
}
