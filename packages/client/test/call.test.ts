import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { outgoing } from '../src/call.js'

const URL = 'https://api.test/'

function isReplayable(body: unknown): boolean {
  return outgoing(URL, { method: 'PUT', body } as RequestInit, false).replayable
}

describe('a body that can be sent again', () => {
  it.each([
    ['none', undefined],
    ['null', null],
    ['a string', 'text'],
    ['bytes', new Uint8Array(3)],
    ['a Blob', new Blob(['x'])],
    ['a form', new FormData()],
    ['parameters', new URLSearchParams('a=1')],
  ])('is %s', (_, body) => {
    expect(isReplayable(body)).toBe(true)
  })

  it.each([
    ['a web stream', new ReadableStream()],
    ['a web stream that cannot be iterated, as some browsers have them', { getReader: () => {} }],
    ['a stream of Node', Readable.from(['x'])],
    ['an old stream of Node', { pipe: () => {} }],
    ['an iterator', { next: () => ({ done: true }) }],
    ['what can be iterated asynchronously', { [Symbol.asyncIterator]: () => {} }],
  ])('is not %s', (_, body) => {
    expect(isReplayable(body)).toBe(false)
  })

  it('is a Request’s own, until something reads it', async () => {
    const request = () => new Request(URL, { method: 'PUT', body: 'text' })
    expect(outgoing(request(), undefined, false).replayable).toBe(true)
    const read = request()
    await read.text()
    expect(outgoing(read, undefined, false).replayable).toBe(false)
    const begun = request()
    const reader = begun.body?.getReader()
    await reader?.read()
    reader?.releaseLock()
    expect(outgoing(begun, undefined, false).replayable).toBe(false)
    const locked = request()
    locked.body?.getReader()
    expect(outgoing(locked, undefined, false).replayable).toBe(false)
  })

  it('of init replaces a Request’s own', () => {
    const request = new Request(URL, { method: 'PUT', body: 'text' })
    expect(outgoing(request, { body: new ReadableStream() }, false).replayable).toBe(false)
    expect(outgoing(request, { body: 'other' }, false).args(true)[0]).toBe(request)
    expect(outgoing(request, {}, false).args(true)[0]).not.toBe(request)
    expect(outgoing(request, {}, false).args(false)[0]).toBe(request)
  })
})

describe('a call', () => {
  it('has its URL, method and headers, from either argument', () => {
    const headers = { 'X-A': '1' }
    const callOf = (input: string | globalThis.URL | Request, init?: RequestInit) => {
      const { call } = outgoing(input, init, false)
      return [call.url, call.method, call.headers.get('X-A')]
    }
    expect(callOf('https://api.test')).toEqual([URL, 'GET', null])
    expect(callOf(new globalThis.URL(URL), { method: 'post', headers })).toEqual([URL, 'POST', '1'])
    expect(callOf(new Request(URL, { method: 'DELETE', headers }))).toEqual([URL, 'DELETE', '1'])
    expect(callOf(new Request(URL, { headers }), { method: 'PATCH', headers: {} })).toEqual([URL, 'PATCH', null])
    expect(callOf('/relative')).toEqual(['/relative', 'GET', null])
  })

  it('passes its arguments on unchanged, except for an added key', () => {
    const init = { method: 'POST', body: 'x' }
    expect(outgoing(URL, init, false).args(true)).toEqual([URL, init])
    expect(outgoing(URL, init, false).args(true)[1]).toBe(init)
    const [, withKey] = outgoing(URL, init, () => 'mine').args(true)
    expect(withKey).toMatchObject(init)
    expect(new Headers(withKey?.headers).get('Idempotency-Key')).toBe('mine')
    expect(init).toEqual({ method: 'POST', body: 'x' })
  })
})
