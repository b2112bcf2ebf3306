import { expect, test } from 'vitest'
import { slotOf } from '../src/slot.js'

// The first is the specification's own; the others are what CLUSTER KEYSLOT of Redis 7.0 answers.
test.each([
  ['123456789', 12_739],
  ['acme', 11_304],
  ['user:1000', 1_649],
  ['~x', 5_321],
  ['a', 15_495],
  ['', 0],
])('a tag "%s" is in slot %i', (tag, slot) => {
  expect(slotOf(tag)).toBe(slot)
})
