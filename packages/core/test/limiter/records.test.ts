import { expect, it } from 'vitest'
import { Records } from '../../src/limiter/records.js'
import type { RequestState, Sent } from '../../src/limiter/request-state.js'

const limiter = () => ({ settle: () => {} })

interface Req {
  state?: object
}

const bag = {
  get: (request: Req) => request.state,
  set(request: Req, state: object) {
    request.state = state
    return true
  },
}

function recordsIn({ state }: Req): Sent[] {
  const found: Sent[] = []
  for (let it = (state as RequestState).first; it !== undefined; it = it.next) found.push(it)
  return found
}

it('a request has one record of each limiter, the latest, in the order in which it met them', () => {
  const all = [limiter(), limiter(), limiter()].map((it) => new Records<Req>(it, bag))
  const request: Req = {}
  all.map((records) => records.make(request))
  for (const place of [1, 0, 2, 1]) {
    const made = all[place]?.make(request)
    expect(recordsIn(request)).toHaveLength(3)
    expect(recordsIn(request)[place]).toBe(made)
    expect(all[place]?.find(request)).toBe(made)
  }
})

it.each([
  ['has no bag', undefined],
  ['has a bag that keeps nothing', { get: () => undefined, set: () => false }],
])('a request that %s is found all the same', (_name, given) => {
  const [one, other] = [new Records<Req>(limiter(), given), new Records<Req>(limiter(), given)]
  const [request, later] = [{}, {}]
  const made = [one.make(request), other.make(request), one.make(later)]
  expect([one.find(request), other.find(request), one.find(later), other.find(later)]).toEqual([...made, undefined])
  expect(request).toEqual({})
})
