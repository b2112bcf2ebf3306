import { type AddressInfo, connect } from 'node:net'
import { manualClock } from '@rail/fastify'
import { expect, it } from 'vitest'
import { createApp } from '../src/server/app.js'
import { openDatabase } from '../src/server/database.js'

/** Sends bytes, and gives those that come back. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (data) => {
      received += data
    })
    socket.on('end', () => resolve(received)).on('error', reject)
  })
}

it('a request over the limit is answered, to the byte, as customers are promised', async () => {
  const db = openDatabase(':memory:')
  const app = await createApp({ db, clock: manualClock() })
  const authorization = 'Bearer snip_free_ada'
  for (let count = 0; count < 100; count++) await app.inject({ url: '/v1/links', headers: { authorization } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const body = '{"url":"https://example.org/"}'
  const answer = await exchange(
    (app.server.address() as AddressInfo).port,
    `POST /v1/links HTTP/1.1\r\nHost: api.snip.example\r\nAuthorization: ${authorization}\r\nConnection: close\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await app.close()
  db.close()
  const [head = '', sent] = answer.split('\r\n\r\n')
  const [status, ...fields] = head.split('\r\n')
  expect(status).toBe('HTTP/1.1 429 Too Many Requests')
  // Fastify writes its own names in lower case.
  expect(fields.filter((field) => /^(retry-after|.*ratelimit|content-type)/i.test(field)).sort()).toEqual([
    'RateLimit-Limit: 100',
    'RateLimit-Remaining: 0',
    'RateLimit-Reset: 1',
    'Retry-After: 1',
    'content-type: application/problem+json',
  ])
  expect(sent).toBe(
    '{"type":"https://api.snip.example/errors/rate-limited","title":"Rate limit exceeded","status":429,' +
      '"detail":"The free plan allows 100 requests per minute. Retry in 1 second.","instance":"/v1/links"}',
  )
})

it('what is not found below /v1 is counted, and is a problem, too', async () => {
  const db = openDatabase(':memory:')
  const app = await createApp({ db, clock: manualClock() })
  const answer = await app.inject({
    url: '/v1/nowhere',
    headers: { authorization: 'Bearer snip_free_ada' },
  })
  const { statusCode, headers } = answer
  expect([statusCode, headers['ratelimit-remaining'], headers['content-type']]).toEqual([
    404,
    '99',
    expect.stringContaining('application/problem+json'),
  ])
  expect(answer.json()).toMatchObject({ status: 404, type: 'https://api.snip.example/errors/not-found' })
  await app.close()
  db.close()
})

it('a write that is sent again while it is on its way is carried out once, and both get the same answer', async () => {
  const db = openDatabase(':memory:')
  const app = await createApp({ db, clock: manualClock() })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const write = async (key: string) => {
    const headers = {
      Authorization: 'Bearer snip_free_ada',
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    }
    const response = await fetch(`${url}/v1/links`, { method: 'POST', headers, body: '{"url":"https://example.org/"}' })
    return [response.status, await response.text()]
  }
  const answers = await Promise.all(['same', 'same', 'same', 'same', 'same', 'other'].map(write))
  await app.close()
  const [first] = answers
  expect(first?.[0]).toBe(201)
  expect(answers.slice(0, 5)).toEqual(Array(5).fill(first))
  expect(answers[5]).not.toEqual(first)
  expect(db.prepare('SELECT count(*) AS links FROM links').all()).toEqual([{ links: 2 }])
  db.close()
})
