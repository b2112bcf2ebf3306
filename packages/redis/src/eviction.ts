import { railError } from '@rail/core/store'
import type { Connection } from './connection.js'

/**
 * Reports where Redis may drop buckets that owe something: their customers would start with full ones. Each server is reported
 * once in this process. Where Redis does not reply to `INFO`, there is no report.
 */
export async function reportEviction(connection: Connection, report: (error: unknown) => void): Promise<void> {
  for (const reply of await connection.info()) {
    const info = String(reply)
    const fieldOf = (name: string): string | undefined => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
    const policy = fieldOf('maxmemory_policy')
    const server = fieldOf('run_id') ?? ''
    // Without a bound nothing is ever dropped.
    if (policy === undefined || KEEPING.includes(policy) || fieldOf('maxmemory') === '0' || reported.has(server))
      continue
    reported.add(server)
    const fact = `maxmemory-policy of Redis: expected noeviction or volatile-ttl, got "${policy}", which may drop what a customer has spent`
    const toDo = 'Set it to noeviction, or to volatile-ttl, which drops the buckets first that are nearly full.'
    report(railError('RAIL_REDIS_EVICTS', fact, toDo))
  }
}

const KEEPING = ['noeviction', 'volatile-ttl']
/** By `run_id`. */
const reported = new Set<string>()
