import { expect } from 'vitest'
import type { ScenarioName } from '../scenarios/scenarios.js'
import type { Visit } from '../test-adapter/app.js'
import { type AdapterCheck, check, railHeaders, times } from './check.js'

const WRONG_OPTIONS: readonly (readonly [ScenarioName, string])[] = [
  ['unknown-option', 'RAIL_UNKNOWN_OPTION'],
  ['no-identify', 'RAIL_BAD_OPTION'],
  ['no-limits', 'RAIL_NO_LIMITS'],
  ['limits-of-numbers', 'RAIL_BAD_LIMITS'],
  ['limits-of-string', 'RAIL_BAD_LIMITS'],
  ['names-that-differ-in-case', 'RAIL_DUPLICATE_NAME'],
  ['cost-as-string', 'RAIL_BAD_OPTION'],
  ['styles-that-collide', 'RAIL_BAD_OPTION'],
  ['unknown-style', 'RAIL_BAD_OPTION'],
  ['store-without-methods', 'RAIL_BAD_OPTION'],
  ['unknown-store-failure', 'RAIL_BAD_OPTION'],
  ['unknown-route-option', 'RAIL_UNKNOWN_OPTION'],
]

/** An error is reported, spends nothing, and never means "unlimited". */
export const failureChecks: readonly AdapterCheck[] = [
  ...[
    { fault: 'identify undefined', failed: 'RAIL_NO_IDENTITY', why: 'mounted before authentication' },
    { fault: 'identify later undefined', failed: 'RAIL_NO_IDENTITY', why: 'the same, asynchronously' },
    { fault: 'identify empty string', failed: 'RAIL_BAD_KEY', why: 'an address that is missing' },
    { fault: 'identify zero', failed: 'RAIL_BAD_KEY', why: 'a number, not a string' },
    { fault: 'identify an object', failed: 'RAIL_BAD_KEY', why: 'the customer, not its id' },
    { fault: 'identify throws', failed: 'sorry', why: 'sync' },
    { fault: 'identify rejects', failed: 'sorry', why: 'async' },
    { fault: 'limits undefined', failed: 'RAIL_NO_LIMITS', why: "a plan's name mistyped" },
    { fault: 'limits later undefined', failed: 'RAIL_NO_LIMITS', why: 'the same, asynchronously' },
    { fault: 'limits null', failed: 'RAIL_BAD_LIMITS', why: 'no row in a database' },
    { fault: 'limits NaN', failed: 'RAIL_BAD_LIMITS', why: 'not an array' },
    { fault: 'limits digits', failed: 'RAIL_BAD_LIMITS', why: 'not an array' },
    { fault: 'limits numbers', failed: 'RAIL_BAD_LIMITS', why: 'an array of numbers' },
    { fault: 'limits throws', failed: 'sorry', why: 'sync' },
    { fault: 'limits rejects', failed: 'sorry', why: 'async' },
    { fault: 'cost NaN', failed: 'RAIL_BAD_COST', why: 'a header that is no number' },
    { fault: 'cost later NaN', failed: 'RAIL_BAD_COST', why: 'the same, asynchronously' },
    { fault: 'cost minus one', failed: 'RAIL_BAD_COST', why: 'gives tokens' },
    { fault: 'cost one and a half', failed: 'RAIL_BAD_COST', why: 'not whole' },
    { fault: 'cost Infinity', failed: 'RAIL_BAD_COST', why: 'not finite' },
    { fault: 'cost digits', failed: 'RAIL_BAD_COST', why: 'a string' },
    { fault: 'cost undefined', failed: 'RAIL_BAD_COST', why: 'nothing' },
    { fault: 'cost throws', failed: 'sorry', why: 'sync' },
    { fault: 'cost rejects', failed: 'sorry', why: 'async' },
    { fault: 'identify throws nothing', failed: 'RAIL_NOT_AN_ERROR', why: 'no error at all' },
    { fault: 'skip throws', failed: 'sorry', why: 'sync' },
    { fault: 'skip rejects', failed: 'sorry', why: 'async' },
    { fault: 'skip digits', failed: 'RAIL_BAD_SKIP', why: "a client's own text" },
    { fault: 'skip undefined', failed: 'RAIL_BAD_SKIP', why: 'a function that returns nothing' },
    { fault: 'skip an object', failed: 'RAIL_BAD_SKIP', why: 'not true' },
    { fault: 'skip later numbers', failed: 'RAIL_BAD_SKIP', why: 'rows of a database, asynchronously' },
  ].map(({ fault, failed, why }) =>
    check(`${fault} (${why}) reaches the error handler and spends nothing`, 'faults', async (app) => {
      const answer = await app.get('/', { headers: { 'x-fault': fault } })
      expect([answer.status, answer.body]).toEqual([500, failed])
      expect(railHeaders(answer)).toEqual({})
      const seen = await app.seen()
      expect([seen.handled, seen.failed]).toEqual([0, [failed]])
      expect((await app.get()).header('RateLimit')).toBe('"five";r=4;t=12')
    }),
  ),
  ...['identify undefined', 'identify throws', 'identify rejects', 'limits later undefined', 'cost NaN'].map((fault) =>
    check(
      `${fault} is an error in an app without an error handler too`,
      'faults-without-error-handler',
      async (app) => {
        const answer = await app.get('/', { headers: { 'x-fault': fault } })
        expect([answer.status, (await app.seen()).handled]).toEqual([500, 0])
      },
    ),
  ),
  ...['throws nothing', 'throws route', 'throws router', 'rejects with nothing', 'rejects with route'].flatMap(
    (fault) =>
      ['skip', 'identify', 'limits', 'cost'].map((where) =>
        check(`${where} that ${fault} is an error, never a free pass`, 'faults-without-error-handler', async (app) => {
          const answer = await app.get('/', { headers: { 'x-fault': `${where} ${fault}` } })
          expect([answer.status, (await app.seen()).handled]).toEqual([500, 0])
        }),
      ),
  ),
  check('a clock that gives no number is an error, never a free pass', 'clock-without-number', async (app) => {
    expect(await app.statuses(3)).toEqual([500, 500, 500])
    const { handled, failed } = await app.seen()
    expect({ handled, failed }).toEqual({ handled: 0, failed: times(3, 'RAIL_BAD_CLOCK') })
  }),
  check(
    'two definitions of one name that take turns allow no more than the larger one',
    'changing-limits',
    async (app) => {
      const turns = async (as: string, ...plans: readonly string[]): Promise<number> => {
        let allowed = 0
        for (let turn = 0; turn < 30; turn++) {
          const plan = plans[turn % plans.length] as string
          if ((await app.get('/', { as, headers: { 'x-plan': plan } })).status === 200) allowed++
        }
        return allowed
      }
      expect(await turns('acme', 'tight', 'loose')).toBe(10)
      expect(await turns('globex', 'loose', 'tight')).toBe(10)
      expect(await turns('initech', 'loose')).toBe(10)
      expect(await turns('umbrella', 'tight')).toBe(2)
    },
  ),
  check('a change of a definition takes effect at once, and so does its correction', 'changing-limits', async (app) => {
    const under = (plan: string): Visit => ({ headers: { 'x-plan': plan } })
    expect(await app.statuses(3, '/', under('tight'))).toEqual([200, 200, 429])
    expect(await app.statuses(9, '/', under('loose'))).toEqual([...times(8, 200), 429])
    expect(await app.statuses(2, '/', under('tight'))).toEqual([429, 429])
    expect((await app.seen()).reported).toEqual([])
  }),
  check(
    'calls of cost 0 under the looser of two definitions give nothing back under the tighter',
    'changing-limits',
    async (app) => {
      const under = (plan: string, cost: number): Visit => ({ headers: { 'x-plan': plan }, cost })
      expect(await app.statuses(3, '/', under('tight', 1))).toEqual([200, 200, 429])
      for (let turn = 0; turn < 5; turn++) {
        expect(await app.statuses(3, '/', under('loose', 0))).toEqual([200, 200, 200])
        expect(await app.statuses(1, '/', under('tight', 1))).toEqual([429])
      }
      expect((await app.seen()).reported).toEqual([])
    },
  ),
  ...['acme', 'rejects'].flatMap((as) => [
    check(
      `a store that fails (${as}) refuses nothing under 'allow', and sends no headers`,
      'store-allow',
      async (app) => {
        expect(await app.statuses(4, '/', { as })).toEqual([200, 200, 200, 200])
        expect(railHeaders(await app.get('/', { as }))).toEqual({})
        expect((await app.seen()).reported).toEqual(['RAIL_STORE_FAILED'])
      },
    ),
    check(`a store that fails (${as}) is a 503 under 'refuse': no limit was exceeded`, 'store-refuse', async (app) => {
      const refused = await app.get('/', { as })
      expect([refused.status, refused.body]).toEqual([503, '{"error":"unavailable","retry_after":1}'])
      expect([refused.header('Content-Type'), refused.header('Cache-Control')]).toEqual([
        'application/json',
        'no-store',
      ])
      expect(railHeaders(refused)).toEqual({ 'Retry-After': '1' })
      expect((await app.seen()).handled).toBe(0)
    }),
    check(`a store that fails (${as}) leaves this server its share under localStore()`, 'store-local', async (app) => {
      expect((await app.get('/', { as })).header('RateLimit-Policy')).toBe('"per_second";q=3;w=1')
      expect(await app.statuses(3, '/', { as })).toEqual([200, 200, 429])
    }),
  ]),
  check('an error in onDecision is reported and changes nothing', 'hooks-throw', async (app) => {
    expect(await app.statuses(3)).toEqual([200, 200, 429])
    const { failed, reported } = await app.seen()
    expect({ failed, reported }).toEqual({ failed: [], reported: times(3, 'RAIL_HOOK_FAILED') })
  }),
  check('an error in onError reaches no request', 'error-hook-throws', async (app) => {
    expect(await app.statuses(3)).toEqual([200, 200, 200])
    expect((await app.seen()).failed).toEqual([])
  }),
  ...WRONG_OPTIONS.map(
    ([scenario, code]): AdapterCheck => ({
      name: `wrong options fail when the limiter is made: ${scenario}`,
      check: async (app) => expect(await app.faultOf(scenario)).toBe(code),
      needs: undefined,
    }),
  ),
]
