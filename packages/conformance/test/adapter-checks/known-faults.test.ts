import { describe, expect, test } from 'vitest'
import { ADAPTER_CHECKS } from '../../src/adapter-checks/index.js'

/*
 * Faults that were reproduced in other limiters (L), and traps around header fields (S), each with the sentences of the
 * specification that would catch it. That each sentence catches a fault of its kind is shown in adapter-mutants.test.ts.
 */
const FAULTS: readonly (readonly [fault: string, ...sentences: (string | RegExp)[]])[] = [
  [
    'L1: pipelined requests, or requests that wait for one promise, are all counted before any is answered',
    'requests pipelined on one socket are allowed exactly up to the limit',
    'pipelined requests are allowed exactly up to the limit when everything is asynchronous',
    'requests that wait for one shared promise are allowed exactly up to the limit',
  ],
  [
    'L2: the first of two limits has spent what the second refuses',
    'a request that a short limit refuses takes nothing from a long one',
    'several charges are all or nothing: a refused user takes nothing from the client',
  ],
  [
    'L5, L20: keys like __proto__ fail, or have no bucket',
    'every string is a key of its own, whatever it means elsewhere',
  ],
  [
    'L6: a cost above the limit is refused and spends the window',
    'a cost that can never fit is 422 without a wait, and is reported once',
    'a refused expensive request takes nothing: a cheap one fits at once',
  ],
  ['L8: routes of one group do not share', 'routes of one scope share its buckets'],
  [
    'L10: many other keys unblock a blocked one',
    'a customer who keeps sending requests stays refused, however many others fill a small store',
  ],
  ['L11: undefined limits are no limits', /^limits undefined .*spends nothing/, /^limits later undefined/],
  [
    'L12: a wrong option is replaced silently',
    /^wrong options fail when the limiter is made: limits-of-string/,
    /: cost-as-string/,
  ],
  ['L13: a full budget is sent while the store fails', /^a store that fails \(acme\) refuses nothing/],
  [
    'L14: a parent and a child count one request twice',
    'one limiter counts a request once, mounted on a nested router too',
  ],
  [
    'L15: fields are lost on raw responses and those of error handlers',
    'the headers are on a response that goes past the framework',
    "the headers are there when the app's own error handler answers",
  ],
  ['L16: one limiter that is mounted twice counts twice', 'one limiter counts a request once, mounted twice'],
  ['L19: without a store nothing is limited', 'each customer is counted alone', /: store-without-methods$/],
  [
    'L23: an expensive call that is denied blocks a cheap one that fits',
    'a refused expensive request takes nothing: a cheap one fits at once',
  ],
  [
    'L25: a clock that steps back blocks for the step',
    'a clock that steps back an hour gives nothing and blocks no customer longer than the bucket takes to fill',
  ],
  ['L26: a quote in a name breaks the field', 'names are escaped as in structured fields'],
  [
    'L27: the order of limiters decides which one is sent',
    'styles with room for one limit send the tightest, beside the default',
    /^of two limiters the tightest is sent, all of it: tight-limiter-first/,
    /^of two limiters the tightest is sent, all of it: tight-limiter-last/,
  ],
  [
    'L29, S1: fields are lost when anything throws',
    'the headers are there when a handler throws an error',
    'the headers are there when a handler throws a string',
  ],
  ['S2: fields are on refusals only', 'the headers are on an ordinary answer'],
  ['S3: what is not found is not limited', 'a path that is not found is counted and has the headers'],
  [
    'S4, S9: Retry-After is rounded down, or a token is sent that is not there',
    'ten of a burst of ten pass; the eleventh, 0.4 s later, waits one second',
    'a request one millisecond before the end of the wait is refused, one at its end is allowed',
  ],
  [
    'S5, S6, S10, S20: Retry-After is 0, a fraction, NaN, or a word',
    'ten of a burst of ten pass; the eleventh, 0.4 s later, waits one second',
    'a window of less than a second, and a wait in it, are sent as one second',
  ],
  [
    'S7: a wait overflows the timers of clients',
    'a wait longer than clients can count is sent as the longest they can',
  ],
  ['S8: less than nothing is left', 'settling for more leaves a debt that is waited off'],
  ['S11: a reset of 0 is left out', 'a route of cost 0 gives back what the router took'],
  [
    'S12, S13: a reset is sent in the wrong unit, or by a clock that is not the world’s',
    'styles with room for one limit send the tightest, beside the default',
  ],
  [
    'S14: limiters overwrite each other’s fields, and an upstream’s',
    'two limiters make two lists and one Retry-After',
    'headers that are set before the limiter are sent beside ours, and the larger Retry-After wins',
    'headers of another service that a handler passes on are sent beside ours',
  ],
  [
    'S15: preflights are counted, or everything that looks like one is not',
    'preflights are not counted with skip: preflights; other OPTIONS requests are',
    "preflights with a customer's key are counted by default",
  ],
  ['S16: browsers cannot read the fields', 'exposed names are sent beside those that CORS exposes, on refusals too'],
  ['S17: a refusal is cached', 'a refusal is not to be stored, whatever Cache-Control was set before'],
  [
    'S18: headers are sent twice',
    'a refusal that comes after a timeout has answered does no harm',
    'a client that left while the limiter waited does no harm',
  ],
  ['S19: a 304 has no fields', 'the headers are on a 304'],
  ['S22: a window is 0 seconds long', 'a window of less than a second, and a wait in it, are sent as one second'],
  ['S23: two limits have one name', /: names-that-differ-in-case$/],
  ['S25: everybody returns at the same second', 'jitter lengthens Retry-After and the body alike, and never t'],
  ['S26: two forms of one field are sent', /: styles-that-collide$/],
  // Silent ways to be unlimited.
  ['a limiter in front of authentication', /^identify undefined \(mounted before authentication\)/],
  ["a plan's name that is mistyped", /^limits undefined \(a plan's name mistyped\)/],
  ['an address that is empty', /^identify empty string \(an address that is missing\)/],
  [
    'two definitions of one name that take turns',
    'two definitions of one name that take turns allow no more than the larger one',
  ],
  [
    'calls of cost 0 on the looser of two limits',
    'calls of cost 0 under the looser of two definitions give nothing back under the tighter',
    'a limit that counts requests counts those of cost 0',
  ],
  [
    "OPTIONS with a customer's key",
    "preflights with a customer's key are counted by default",
    'a request that looks like a preflight and has credentials is counted',
  ],
]

describe('a sentence of the specification would catch', () => {
  test.each(FAULTS)('%s', (_, ...sentences) => {
    const names = ADAPTER_CHECKS.map(({ name }) => name)
    const missing = sentences.filter(
      (sentence) => !names.some((name) => (typeof sentence === 'string' ? sentence === name : sentence.test(name))),
    )
    expect(missing).toEqual([])
  })
})
