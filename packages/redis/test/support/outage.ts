import { once } from 'node:events'
import { expect } from 'vitest'
import { startChild } from './child.js'
import { startFaultProxy } from './fault-proxy.js'
import type { OutageReport } from './outage.child.js'
import { startRedisServer } from './redis-server.js'

/** An outage of so many seconds under 500 takes a second; says how it went. */
export async function outage(client: string, fault: 'stands still' | 'refuses', seconds: number): Promise<string> {
  const server = await startRedisServer()
  const proxy = await startFaultProxy(server.port)
  const { process: child, output } = startChild('./outage.child.ts', client, String(proxy.port), String(seconds))
  const said = async <T>(): Promise<T> => (await once(child, 'message'))[0] as T
  try {
    await said()
    if (fault === 'refuses') await proxy.refuse()
    else server.kill('SIGSTOP')
    child.send('go')
    const report = await said<OutageReport>()
    if (fault === 'refuses') await proxy.listen()
    else server.kill('SIGCONT')
    child.send('healed')
    const recoveredMs = await said<number>()
    await once(child, 'exit')
    const { takes, failed, p99, longest, timerP99, heapEarly, heapLate } = report
    expect(failed).toBe(takes)
    // What a bare timer of 50 ms adds on this machine is the machine's, not the store's.
    expect(p99).toBeLessThanOrEqual(Math.max(50, timerP99) + 20)
    expect(heapLate - heapEarly).toBeLessThan(4_000_000)
    const ms = (value: number): string => `${value.toFixed(1)} ms`
    return (
      `${client}, Redis ${fault} for ${seconds} s: ${takes} takes failed, p99 ${ms(p99)} (a bare timer of 50 ms: ${ms(timerP99)}), ` +
      `longest ${ms(longest)}; heap ${((heapLate - heapEarly) / 1e6).toFixed(1)} MB more; recovered in ${ms(recoveredMs)}`
    )
  } catch (error) {
    throw new Error(`${String(error)}\n${output()}`, { cause: error })
  } finally {
    child.kill('SIGKILL')
    await proxy.close()
    await server.stop()
  }
}
