import type { Connection } from './connection.js'

/**
 * Warns, by `process.emitWarning`, where Redis may drop buckets that owe something: whoever loses one starts with a full
 * one. What cannot be asked is not warned of.
 */
export function warnOfEviction(connection: Connection): void {
  const look = async (): Promise<void> => {
    for (const info of await connection.memoryInfo()) {
      const policy = /^maxmemory_policy:(\S+)/m.exec(String(info))?.[1]
      if (policy === undefined || KEEPING.includes(policy)) continue
      process.emitWarning(
        `Redis has the maxmemory-policy "${policy}", by which it may forget what a customer has spent. Set it to noeviction, or ` +
          'to volatile-ttl, which begins with the buckets that are nearly full.',
        { type: 'RailWarning', code: 'RAIL_REDIS_EVICTS' },
      )
      return
    }
  }
  look().catch(() => {})
}

const KEEPING = ['noeviction', 'volatile-ttl']
