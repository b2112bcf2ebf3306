import { createClient } from '@rail/client'
import axios from 'axios'
import axiosRetry, { exponentialDelay, isNetworkOrIdempotentRequestError } from 'axios-retry'
import got from 'got'
import ky from 'ky'
import pRetry from 'p-retry'
import { Agent, RetryAgent, request } from 'undici'

/** Writes one row; rejects when the client gives up. */
export type Write = (url: string) => Promise<unknown>

const BODY = '{"url":"https://example.org"}'
const RETRIES = 20

/**
 * Each client told to repeat POSTs after 429 and 5xx, which none but ours has a safe way to do by itself, and otherwise as it
 * comes: waits, jitter and headers are its own.
 */
export const importers: Readonly<Record<string, () => Write>> = {
  '@rail/client': () => {
    const client = createClient({ idempotencyKey: true, retries: RETRIES })
    return async (url) => {
      const response = await client(url, { method: 'POST', body: BODY })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${response.status}`)
    }
  },
  ky: () => (url) => ky.post(url, { body: BODY, timeout: false, retry: { limit: RETRIES, methods: ['post'] } }).text(),
  got: () => (url) => got.post(url, { body: BODY, retry: { limit: RETRIES, methods: ['POST'] } }).text(),
  'undici RetryAgent': () => {
    const dispatcher = new RetryAgent(new Agent(), { maxRetries: RETRIES, methods: ['POST'] })
    return async (url) => {
      const { statusCode, body } = await request(url, { method: 'POST', body: BODY, dispatcher })
      await body.text()
      if (statusCode >= 300) throw new Error(`${statusCode}`)
    }
  },
  'axios-retry': () => {
    const client = axios.create()
    axiosRetry(client, {
      retries: RETRIES,
      retryDelay: exponentialDelay,
      retryCondition: (error) =>
        isNetworkOrIdempotentRequestError(error) ||
        error.response?.status === 429 ||
        (error.response?.status ?? 0) >= 500,
    })
    return (url) => client.post(url, BODY)
  },
  'p-retry + fetch': () => (url) =>
    pRetry(
      async () => {
        const response = await fetch(url, { method: 'POST', body: BODY })
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`${response.status}`)
      },
      { retries: RETRIES, randomize: true, maxTimeout: 30_000 },
    ),
}
