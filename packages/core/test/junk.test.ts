import { describe, expect, test } from 'vitest'
import * as adapter from '../src/adapter.js'
import * as users from '../src/index.js'
import * as read from '../src/read.js'
import * as stores from '../src/store.js'

const core = { ...stores, ...adapter, ...read, ...users }

const { addressKey, createLimiter, createPlanBook, manualClock, MemoryStore, perSecond, RailError } = core

const limits = [perSecond(1)]
const plain = { identify: () => 'acme', limits }
const decision = new MemoryStore().take([{ key: 'acme', limits, cost: 1 }], 0)
const field: users.Field = { name: 'Retry-After', value: '5', merge: 'larger' }

/** What a program in JavaScript, or one in a hurry, may give in place of what is meant. */
const JUNK: readonly (readonly [name: string, value: unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['7', 7],
  ['{}', {}],
  ['[]', []],
  ['a function', () => {}],
]

/**
 * What public functions are called with: each argument in turn is junk. `takes`: the junk that makes sense there.
 * A value of any type is passed where one of a type is meant: that is the test.
 */
type Call = readonly [name: string, call: (junk: never) => unknown, takes: readonly string[]]

const ALL = JUNK.map(([name]) => name)

const CALLS: readonly Call[] = [
  ['limit(…)', core.limit, []],
  ['perSecond(…)', core.perSecond, ['7']],
  ['perSecond(1, …)', (junk) => core.perSecond(1, junk), ['undefined', '{}']],
  ['perMinute(…)', core.perMinute, ['7']],
  ['perHour(…)', core.perHour, ['7']],
  ['perDay(…)', core.perDay, ['7']],
  ['share(…, 2)', (junk) => core.share(junk, 2), []],
  ['share(limit, …)', (junk) => core.share(perSecond(10), junk), ['7']],
  ['durationMs(…)', core.durationMs, ['7']],
  ['createLimiter(…)', (junk) => createLimiter(junk), []],
  // An adapter's facts about its framework: what is not among them is ignored.
  ['createLimiter(options, …)', (junk) => createLimiter(plain, junk), ALL],
  ['limiter.with(…)', (junk) => createLimiter(plain).with(junk), ['{}']],
  // A request may be anything, and one that was never seen has no outcome.
  ['limiter.take(…)', (junk) => createLimiter<unknown>(plain).take(junk), ALL],
  ['limiter.of(…)', (junk) => createLimiter<unknown>(plain).of(junk), ALL],
  ['new MemoryStore(…)', (junk) => new MemoryStore(junk), ['undefined', '{}']],
  ['store.reset(…)', (junk) => new MemoryStore().reset(junk), []],
  ['store.reset(key, …)', (junk) => new MemoryStore().reset('acme', junk), ['undefined']],
  ['store.forget(…, name)', (junk) => new MemoryStore().forget(junk, 'per_minute'), []],
  ['store.forget(scope, …)', (junk) => new MemoryStore().forget('', junk), []],
  ['headersFor(…)', (junk) => core.headersFor(junk), []],
  ['headersFor(decision, …)', (junk) => core.headersFor(decision, junk), ['undefined', '{}']],
  ['refusalFor(…)', (junk) => core.refusalFor(junk), []],
  ['refusalFor(decision, …)', (junk) => core.refusalFor(decision, junk), ['undefined', '{}']],
  ['mergeField(…, field)', (junk) => core.mergeField(junk, field), ['undefined']],
  ["mergeField('5', …)", (junk) => core.mergeField('5', junk), []],
  ["mergeField('5', field, …)", (junk) => core.mergeField('5', field, junk), ['undefined', 'a function']],
  ['parseHeaders(…)', core.parseHeaders, ['{}', 'a function']],
  // A wrong moment is ignored: a server may have made it.
  ['parseHeaders({}, …)', (junk) => core.parseHeaders({}, junk), ALL],
  ['problem(…)', (junk) => core.problem(junk), ['undefined', '{}']],
  ['exposed(…)', (junk) => core.exposed(junk), []],
  ['unshared(…)', (junk) => core.unshared(junk), []],
  ['several(…)', (junk) => core.several(junk), ['a function']],
  ['localStore(…)', (junk) => core.localStore(junk), ['undefined', '{}']],
  ['addressKey(…)', (junk) => addressKey(junk), []],
  ['addressKey(ip, …)', (junk) => addressKey('192.0.2.1', junk), ['undefined', '{}']],
  ['manualClock(…)', manualClock, ['undefined', '7']],
  ['clock.advance(…)', (junk) => manualClock().advance(junk), ['7']],
  ['clock.set(…)', (junk) => manualClock().set(junk), ['7']],
  ['createPlanBook(…)', (junk) => createPlanBook(junk), []],
  ['createPlanBook(document, …)', (junk) => createPlanBook({ plans: {} }, junk), ['undefined', '{}']],
  ['book.update(…)', (junk) => createPlanBook({ plans: {} }).update(junk), ['{}']],
  // It lists what is wrong, and throws nothing.
  ['planProblems(…)', core.planProblems, ALL],
  ['isPromise(…)', core.isPromise, ALL],
  ['shown(…)', core.shown, ALL],
]

/**
 * What stores, adapters and sources are made of: called with what has been checked, for each request or bucket, or by
 * core itself.
 */
const INNER = [
  'addFields',
  'attempt',
  'chain',
  'chargesBeside',
  'checkCost',
  'checkedCharges',
  'checkedLimits',
  'checkLimits',
  'checkNow',
  'checkOption',
  'checkOptionNames',
  'costFor',
  'decisionOf',
  'disjoint',
  'drained',
  'fits',
  'checkKey',
  'forgetLimit',
  'mergeFields',
  'monotonicClock',
  'pathText',
  'faultOfCall',
  'hasHttp2Body',
  'preflightsBy',
  'RailError',
  'railError',
  'readClock',
  'statusOf',
  'suggestionFor',
  'throwError',
  'unexpected',
  'tokensTaken',
  'warn',
]

describe.each(CALLS)('%s', (_, call, takes) => {
  test.each(JUNK)('given %s makes sense, or is an error that says what was expected and what came', (name, value) => {
    let thrown: unknown
    try {
      call(value as never)
    } catch (error) {
      thrown = error
    }
    if (takes.includes(name)) {
      expect(thrown).toBe(undefined)
      return
    }
    expect(thrown).toBeInstanceOf(RailError)
    expect((thrown as Error).message).toMatch(/^[^:]+: (expected .+, got .+|not an option of .+)\.( |$)/s)
  })
})

test('every function of core is among these, but for what is called with what has been checked', () => {
  const functions = Object.entries(core).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []))
  const called = CALLS.map(([name]) => /(?:new )?(\w+)\(/.exec(name)?.[1])
  expect(functions.filter((name) => !called.includes(name) && !INNER.includes(name))).toEqual([])
})

test('share takes a limit, and says how to make one', () => {
  expect(() => core.share({} as never, 2)).toThrow(
    expect.objectContaining({
      code: 'RAIL_BAD_SHARE',
      message: 'share(): expected a limit, got an object. Make limits with limit() or perSecond().',
    }),
  )
})
