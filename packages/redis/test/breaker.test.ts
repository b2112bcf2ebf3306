import { expect, test } from 'vitest'
import { Breaker } from '../src/breaker.js'

const opened = (at = 0): Breaker => {
  const breaker = new Breaker(3, 500)
  for (let failure = 0; failure < 3; failure++) breaker.failed(at, 'gone')
  return breaker
}

test('a breaker lets everything through until so many have failed in a row', () => {
  const breaker = new Breaker(3, 500)
  for (let round = 0; round < 5; round++) {
    breaker.failed(0, 'gone')
    breaker.failed(0, 'gone')
    expect(breaker.allows(0)).toBe(true)
    breaker.succeeded()
  }
})

test('then nothing for a while, and after it one probe', () => {
  const breaker = opened()
  expect([0, 1, 499].map((now) => breaker.allows(now))).toEqual([false, false, false])
  expect([500, 500, 501, 999].map((now) => breaker.allows(now))).toEqual([true, false, false, false])
})

test('no other probe goes before that one has failed, however long it takes', () => {
  const breaker = opened()
  expect([500, 1_000, 60_000].map((now) => breaker.allows(now))).toEqual([true, false, false])
  breaker.failed(60_000, 'gone')
  expect([60_499, 60_500, 60_500].map((now) => breaker.allows(now))).toEqual([false, true, false])
})

test('a probe that fails keeps it open for as long again, from then', () => {
  const breaker = opened()
  expect(breaker.allows(500)).toBe(true)
  breaker.failed(550, 'gone')
  expect([1_000, 1_049, 1_050].map((now) => breaker.allows(now))).toEqual([false, false, true])
})

test('a probe that succeeds closes it', () => {
  const breaker = opened()
  expect(breaker.allows(500)).toBe(true)
  breaker.succeeded()
  expect([501, 501, 501].map((now) => breaker.allows(now))).toEqual([true, true, true])
})

test('a probe of which nothing is known allows the next one', () => {
  const breaker = opened()
  expect(breaker.allows(500)).toBe(true)
  breaker.unclear()
  expect([501, 501].map((now) => breaker.allows(now))).toEqual([true, false])
})
