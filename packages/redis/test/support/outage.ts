import { once } from 'node:events'
import { expect } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { startChild } from './child.js'
import { CLIENTS, CLUSTER_CLIENTS } from './clients.js'
import type { OutageReport } from './outage.child.js'
import { breakRedis, type Fault } from './outage-faults.js'
import { counted } from './takes.js'

/** An outage of so many seconds under 500 takes a second; says how it went. */
export async function outage(client: string, fault: Fault, seconds: number): Promise<string> {
  const broken = await breakRedis(fault)
  const { process: child, output } = startChild('./outage.child.ts', client, String(broken.port), String(seconds))
  const ended = once(child, 'exit').then(([code, signal]) => Promise.reject(new Error(`It ended: ${code ?? signal}.`)))
  ended.catch(() => {})
  const said = async <T>(): Promise<T> => (await Promise.race([once(child, 'message'), ended]))[0] as T
  try {
    await said()
    await broken.start()
    child.send('go')
    const report = await said<OutageReport>()
    await broken.end()
    child.send('healed')
    const { recoveredMs, allowed, unheard } = await said<{ recoveredMs: number; allowed: number; unheard: number }>()
    await once(child, 'exit')
    const { takes, failed, p99, longest, timerP99, heapEarly, heapLate } = report
    if (broken.failsAll) expect(failed).toBe(takes)
    // What a bare timer of 50 ms adds on this machine is the machine's, not the store's, which then waits as long again.
    expect(p99).toBeLessThanOrEqual(Math.max(50, 2 * timerP99 - 50) + 20)
    expect(heapLate - heapEarly).toBeLessThan(4_000_000)
    const total = await countOf(client, broken.directPort)
    // What was sent and not answered may have been counted, once; what was let in has been, unless Redis has lost it since.
    expect(total).toBeLessThanOrEqual(allowed + unheard)
    if (!broken.forgets) expect(total).toBeGreaterThanOrEqual(allowed)
    const ms = (value: number): string => `${value.toFixed(1)} ms`
    return (
      `${client}, Redis ${fault} for ${seconds} s: ${failed} of ${takes} takes failed, p99 ${ms(p99)} (a bare timer of 50 ms: ${ms(timerP99)}), ` +
      `longest ${ms(longest)}; heap ${((heapLate - heapEarly) / 1e6).toFixed(1)} MB more; ` +
      `${total} counted, ${allowed} let in, ${unheard} unheard of; recovered in ${ms(recoveredMs)}`
    )
  } catch (error) {
    throw new Error(`${String(error)}\n${output()}`, { cause: error })
  } finally {
    child.kill('SIGKILL')
    await broken.stop()
  }
}

/** How many takes Redis has counted, asked past whatever was broken. */
async function countOf(client: string, port: number): Promise<number> {
  const kind = [...CLIENTS, ...CLUSTER_CLIENTS].find(({ name }) => name === client)
  const opened = await kind?.open(port)
  if (opened === undefined) throw new Error(`no client ${client}`)
  const store = new RedisStore({ client: opened.client, deadlineMs: 60_000 })
  try {
    return await counted(store)
  } finally {
    store.close()
    opened.close()
  }
}
