import { describe, expect, test } from 'vitest'
import { type PreflightReader, preflightsBy } from '../../src/adapter.js'

interface Sent {
  readonly method?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

class Request implements Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>

  constructor({ method = 'OPTIONS', url = '/', headers = {} }: Sent) {
    this.method = method
    this.url = url
    this.headers = { origin: 'https://app.example', 'access-control-request-method': 'PUT', ...headers }
  }
}

const readerOf = ({ method, url, headers }: Request): PreflightReader => ({
  method,
  url,
  header: (name) => headers[name],
})
const preflights = preflightsBy(readerOf)

describe('a preflight', () => {
  test.each<[boolean, Sent]>([
    [true, {}],
    [true, { headers: { 'content-length': '0' } }],
    [false, { method: 'GET' }],
    [false, { headers: { authorization: '' } }],
    [false, { headers: { cookie: 'a=b' } }],
    [false, { headers: { 'x-api-key': 'k' } }],
    [false, { headers: { 'content-length': '1' } }],
    [false, { headers: { 'transfer-encoding': 'chunked' } }],
    [false, { headers: { 'content-type': 'text/plain' } }],
  ])('is %s: %j', (is, sent) => {
    expect(preflights(new Request(sent))).toBe(is)
  })

  test('has no body, even where no header announces it', () => {
    const withBody = preflightsBy((request: Request) => ({ ...readerOf(request), hasBody: true }))
    expect(withBody(new Request({}))).toBe(false)
  })

  test.each<[boolean, Sent]>([
    [true, { url: '/?other=1' }],
    [true, { url: '/key=1' }],
    [true, { headers: { 'x-tokens': '1' } }],
    [false, { headers: { 'x-token': '1' } }],
    [false, { headers: { authorization: 'Bearer x' } }],
    [false, { url: '/?key=1' }],
    [false, { url: 'https://api.example/?a&key' }],
    [false, { url: '/?%6bey=1' }],
    [false, { url: '/?my+key=1' }],
    [false, { url: '/?key%5B0%5D=1' }],
    [true, { url: '/?keys[0]=1' }],
    [true, { url: '/?%=1&%zz' }],
  ])('with credentials of an API is %s: %j', (is, sent) => {
    const own = preflights({ headers: ['X-Token'], query: ['key', 'my key'] })
    expect(own(new Request(sent))).toBe(is)
  })

  test.each<[object, string]>([
    [{ header: ['x'] }, 'header: not an option of preflights(). Did you mean "headers"?'],
    [{ headers: 'x-token' }, 'headers: expected an array of names, got "x-token".'],
    [{ query: [''] }, 'query: expected an array of names, got an array of 1.'],
  ])('of wrong credentials is an error: %j', (wrong, message) => {
    expect(() => preflights(wrong as never)).toThrow(message)
  })

  test.each([undefined, null, 7])('of %s in place of credentials is an error', (wrong) => {
    expect(() => preflights(wrong as never)).toThrow(`preflights(): expected an object of options, got ${wrong}.`)
  })

  test('knows the credentials that were checked, whatever becomes of the arrays', () => {
    const query = ['key']
    const own = preflights({ query })
    query.length = 0
    expect(own(new Request({ url: '/?key=1' }))).toBe(false)
  })

  test('may be a mock', () => {
    const mock = { ...new Request({}) } as Request
    expect(preflights(mock)).toBe(true)
  })
})
