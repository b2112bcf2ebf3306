import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const API_SERVER = fileURLToPath(new URL('./fixtures/api-server.ts', import.meta.url))

/** What one request came to, as a client sees it. */
export interface Seen {
  readonly status: number
  /** The burst in the policy that was sent; `undefined`: no limit. */
  readonly burst: number | undefined
  readonly left: number | undefined
}

/** An API server in a process of its own. */
export interface ApiServer {
  readonly child: ChildProcess
  ask(customer?: string): Promise<Seen>
  /** Sends this many requests. Returns how many were allowed. */
  burst(requests: number, customer?: string): Promise<number>
  /** Moves the limiter's clock. */
  advance(ms: number): Promise<void>
  status(): Promise<{
    instance: string
    source: string
    epoch?: string
    rev?: number
    servers: number
    failures: number
  }>
  /** Ends it: cleanly, so that it leaves, or with SIGKILL. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** Starts an API server that syncs with a control plane, in a process of its own that ends with the test. */
export async function startApi(control: {
  url: string
  token: string
  env?: Record<string, string>
}): Promise<ApiServer> {
  const env = { ...process.env, CONTROL_URL: control.url, SYNC_TOKEN: control.token, ...control.env }
  const child = spawn(process.execPath, ['-C', '@rail/source', '--import', 'tsx', API_SERVER], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const url = `http://127.0.0.1:${line.toString().trim()}`
  const ask = async (customer = 'acme'): Promise<Seen> => {
    const response = await fetch(url, { headers: { 'x-customer': customer } })
    await response.arrayBuffer()
    const numberIn = (name: string, parameter: string): number | undefined => {
      const found = new RegExp(`;${parameter}=(\\d+)`).exec(response.headers.get(name) ?? '')?.[1]
      return found === undefined ? undefined : Number(found)
    }
    return { status: response.status, burst: numberIn('ratelimit-policy', 'q'), left: numberIn('ratelimit', 'r') }
  }
  return {
    child,
    ask,
    burst: async (requests, customer) => {
      let allowed = 0
      for (let sent = 0; sent < requests; sent++) if ((await ask(customer)).status === 200) allowed += 1
      return allowed
    },
    advance: async (ms) => {
      await fetch(`${url}/clock/${ms}`, { method: 'POST' })
    },
    status: async () => (await fetch(`${url}/status`)).json() as ReturnType<ApiServer['status']>,
    stop: async (signal = 'SIGTERM') => {
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    },
  }
}

/** Calls a check until it is true. Returns how long that took, in milliseconds. The test's own time limit ends it. */
export async function until(isSo: () => Promise<boolean>): Promise<number> {
  const began = performance.now()
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10))
  return performance.now() - began
}
