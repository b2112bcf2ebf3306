import { expect, test } from 'vitest'
import { z } from 'zod'
import { timeQuerySchema } from '../../src/base/schemas.js'
import { shapeFaults } from '../../src/base/shape-faults.js'
import { customerBodySchema, overridePatchSchema } from '../../src/customers/customer-schemas.js'
import { planBodySchema } from '../../src/plans/plan-schemas.js'

const overrides = z.record(z.string().min(1), overridePatchSchema.nullable())

test.each<[z.ZodType, unknown, string[]]>([
  [planBodySchema, [], [': expected an object, got [].']],
  [planBodySchema, undefined, [': expected an object, got nothing.']],
  [planBodySchema, { limit: {} }, [': unknown field "limit". Remove it.']],
  [planBodySchema, { limits: { per_second: 0 } }, ['limits.per_second: expected 1 or more, got 0.']],
  [
    planBodySchema,
    { limits: { per_second: 1.5 } },
    ['limits.per_second: expected a whole number or an object, got 1.5.'],
  ],
  [
    planBodySchema,
    { limits: { bulk: { tokens: 1, per: 'x' } } },
    ['limits.bulk.per: expected a duration such as "10s" or a number, got "x".'],
  ],
  [overrides, { a: { tokens: 1, untill: 5 } }, ['a: unknown field "untill". Remove it.']],
  [overrides, { a: { tokens: 'none' } }, ['a.tokens: expected "inherit", "no-limit" or a number, got "none".']],
  [
    overrides,
    { a: { tokens: 1, expires: 'soon' } },
    ['a.expires: expected a time such as "2026-12-01T00:00:00Z", got "soon".'],
  ],
  [overrides, { '': 5 }, [': expected a name of 1 or more characters, got "".']],
  [
    customerBodySchema,
    { name: 5, note: {} },
    ['name: expected a string, got 5.', 'note: expected a string, got an object.'],
  ],
  [customerBodySchema, { name: 'x'.repeat(256) }, ['name: expected at most 255 characters, got 256 characters.']],
  [customerBodySchema, { name: 'a\0' }, ['name: expected a string without the character 0 or half a surrogate pair.']],
  [timeQuerySchema, '1h', [': expected a number, got "1h".']],
])('a fault has the path, what was expected and what came: %#', (schema, data, sentences) => {
  const { error } = schema.safeParse(data)
  const faults = shapeFaults(error as z.ZodError, data)
  expect(faults.map(({ path, message }) => `${path}: ${message}`)).toEqual(sentences)
})

test('at most 100 faults are named', () => {
  const data = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`limit-${index}`, 0]))
  const { error } = overrides.safeParse(data)
  expect(shapeFaults(error as z.ZodError, data)).toHaveLength(100)
})
