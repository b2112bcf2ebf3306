import { describe, expect, it } from 'vitest'
import { mergeFields } from '../../src/adapter.js'
import { type Decision, draft11, exposed, MemoryStore, perMinute, unshared, xRateLimit } from '../../src/index.js'

const store = new MemoryStore()
const take = (): Decision => store.take([{ key: 'acme', limits: [perMinute(1)], cost: 1 }], 0)
const [allowed, refused] = [take(), take()]

/** The names of the headers that are sent where the response has this `Cache-Control`. */
function sent(cacheControl: string | undefined, decision = allowed, style = unshared(draft11)): string[] {
  const read = (name: string): string | undefined => (name === 'Cache-Control' ? cacheControl : undefined)
  return mergeFields(read, style.fieldsFor(decision, 0)).map(({ name }) => name)
}

const BOTH = ['RateLimit-Policy', 'RateLimit']

describe('unshared headers', () => {
  it.each([
    'public',
    'public, max-age=30',
    'max-age=30, PUBLIC',
    's-maxage=5',
    'max-age=1 , s-maxage = 5',
    'private,public',
  ])('are not on a response with Cache-Control: %s', (value) => expect(sent(value)).toEqual([]))

  it.each([undefined, '', 'private', 'max-age=30', 'no-store', 'x-public', 'republic', 'publicly', 'x="s"-maxage'])(
    'are on a response with Cache-Control: %s',
    (value) => expect(sent(value)).toEqual(BOTH),
  )

  it('are on every refusal, since no cache may store it', () => {
    expect(sent('public', refused)).toEqual(BOTH)
  })

  it('are those of one style or of several, within another function or around it', () => {
    expect(sent('public', allowed, unshared([draft11, xRateLimit]))).toEqual([])
    expect(sent('public', allowed, exposed(unshared(draft11)))).toEqual(['Access-Control-Expose-Headers'])
    expect(sent('public', allowed, unshared(exposed(draft11)))).toEqual([])
    expect(sent('private', allowed, unshared(exposed(draft11)))).toEqual([...BOTH, 'Access-Control-Expose-Headers'])
  })

  it('claim nothing where the store failed', () => {
    expect(unshared(draft11).fieldsFor(undefined, 0)).toEqual([])
  })
})
