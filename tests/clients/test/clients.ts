import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Octokit } from '@octokit/core'
import { throttling } from '@octokit/plugin-throttling'
import axios from 'axios'
import axiosRetry from 'axios-retry'
import got from 'got'
import ky from 'ky'
import { Agent, RetryAgent, request } from 'undici'

/** Clients as their users set them up, each asking once and giving the status that it ends with. */
export const retrying: Record<string, (url: string) => Promise<number>> = {
  ky: async (url) => (await ky(url)).status,
  got: async (url) => (await got(url)).statusCode,
  'undici RetryAgent': async (url) => (await request(url, { dispatcher: new RetryAgent(new Agent()) })).statusCode,
  'axios-retry': async (url) => {
    const client = axios.create()
    axiosRetry(client, { retries: 3 })
    return (await client.get(url)).status
  },
  'axios-retry with backoff': async (url) => {
    const client = axios.create()
    axiosRetry(client, { retries: 3, retryDelay: axiosRetry.exponentialDelay })
    return (await client.get(url)).status
  },
  'curl --retry': async (url) => {
    const { stdout } = await promisify(execFile)('curl', ['-sS', '--retry', '3', '-w', '\\n%{http_code}', url])
    return Number(stdout.split('\n').at(-1))
  },
}

/** Octokit's throttling reads `X-RateLimit-*` alone, as GitHub sends them. */
export async function octokit(url: string): Promise<number> {
  const client = new (Octokit.plugin(throttling))({
    baseUrl: url,
    throttle: { onRateLimit: () => true, onSecondaryRateLimit: () => true },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  return (await client.request('GET /')).status
}
