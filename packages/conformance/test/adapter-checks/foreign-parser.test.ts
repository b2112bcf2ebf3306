import { parseRateLimit } from 'ratelimit-header-parser'
import { describe, expect, test } from 'vitest'
import type { ScenarioName } from '../../src/scenarios/scenarios.js'
import { App } from '../../src/test-adapter/app.js'
import type { Answer } from '../../src/test-adapter/wire.js'
import { sending } from './adapter-mutants/mutant.js'
import { type Fault, startPlain } from './plain-adapter.js'

/*
 * The headers as another project's parser reads them. Its `reset` is a Date; the clock under test began at 0, so that
 * seconds since 1970 are seconds from now.
 */
const STYLES: readonly (readonly [style: string, ScenarioName, names: RegExp, reset: 'unix' | 'seconds'])[] = [
  ['x-ratelimit', 'one-limit-styles', /^x-ratelimit/i, 'unix'],
  ['draft-6', 'one-limit-styles', /^ratelimit-(limit|remaining|reset)$/i, 'seconds'],
  ['draft-7', 'draft-7', /^ratelimit$/i, 'seconds'],
]
const NAMES = [
  'RateLimit',
  ...['', 'X-'].flatMap((x) => ['Limit', 'Remaining', 'Reset'].map((of) => `${x}RateLimit-${of}`)),
]

async function parsed(fault: Fault, [, scenario, names, reset]: (typeof STYLES)[number]) {
  const running = await startPlain(fault)
  const app = new App(running.url)
  try {
    const opened = await app.open(scenario)
    return [read(await opened.get(), names, reset), read(await opened.get(), names, reset)]
  } finally {
    app.close()
    await running.stop()
  }
}

function read(answer: Answer, names: RegExp, reset: 'unix' | 'seconds') {
  const headers = Object.fromEntries(
    NAMES.filter((name) => names.test(name)).map((name) => [name.toLowerCase(), answer.header(name) ?? '']),
  )
  const began = Date.now()
  const found = parseRateLimit(headers, { reset })
  const moment = found?.reset?.getTime() ?? Number.NaN
  const seconds = Math.round((reset === 'unix' ? moment : moment - began) / 1_000)
  return { limit: found?.limit, used: found?.used, remaining: found?.remaining, seconds }
}

describe.each(STYLES)('another parser reads %s', (...style) => {
  test('as it was meant', async () => {
    expect(await parsed({}, style)).toEqual([
      { limit: 2, used: 1, remaining: 1, seconds: 30 },
      { limit: 2, used: 2, remaining: 0, seconds: 30 },
    ])
  })

  test('otherwise where a value is another', async () => {
    const fault = sending(({ value }) => ({ value: value.replace(/(\d+)$/, (digits) => String(Number(digits) + 5)) }))
    expect((await parsed(fault, style))[0]).not.toEqual({ limit: 2, used: 1, remaining: 1, seconds: 30 })
  })
})
