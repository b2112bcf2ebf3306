import { describe, expect, it } from 'vitest'
import { type HeaderSource, parseHeaders } from '../../src/read/parse-headers.js'

const DATE = 'Wed, 21 Oct 2015 07:28:00 GMT'
const AT = Date.UTC(2015, 9, 21, 7, 28)

function waitOf(retryAfter: string | readonly string[], more: Record<string, string> = {}): number | undefined {
  const headers = { Date: DATE, 'Retry-After': retryAfter, ...more }
  return parseHeaders(headers as HeaderSource, AT + 86_400_000).retryAfterMs
}

describe('Retry-After', () => {
  it.each([
    { sent: '0', is: 0 },
    { sent: '1', is: 1_000 },
    { sent: '007', is: 7_000 },
    { sent: ' 120 ', is: 120_000 },
    { sent: '2.0', is: 2_000 },
    { sent: '0.493', is: 493 },
    { sent: '0.0001', is: 1 },
    { sent: '2147483', is: 2_147_483_000 },
    { sent: '2147484', is: 2_147_484_000 },
    { sent: '2592000', is: 2_592_000_000 },
    { sent: '1445412480', is: 1_445_412_480_000 },
    { sent: '9'.repeat(400), is: Number.MAX_SAFE_INTEGER },
  ])('of $sent seconds is $is ms', ({ sent, is }) => {
    expect(waitOf(sent)).toBe(is)
  })

  it.each([
    { form: 'IMF-fixdate', sent: 'Wed, 21 Oct 2015 07:28:05 GMT', is: 5_000 },
    { form: 'RFC 850', sent: 'Wednesday, 21-Oct-15 07:28:05 GMT', is: 5_000 },
    { form: 'asctime', sent: 'Wed Oct 21 07:28:05 2015', is: 5_000 },
    { form: 'asctime with a day of one digit', sent: 'Sun Nov  1 07:28:00 2015', is: 11 * 86_400_000 },
    { form: 'a date that has passed', sent: 'Wed, 21 Oct 2015 07:27:59 GMT', is: 0 },
    { form: 'RFC 850, a year that has passed rather than one in 84', sent: 'Sunday, 06-Nov-99 08:49:37 GMT', is: 0 },
    {
      form: 'RFC 850, a year within 50',
      sent: 'Thursday, 06-Nov-64 08:49:37 GMT',
      is: Date.UTC(2064, 10, 6, 8, 49, 37) - AT,
    },
    { form: 'a leap second', sent: 'Wed, 21 Oct 2015 07:28:60 GMT', is: 60_000 },
  ])('may be a date: $form', ({ sent, is }) => {
    expect(waitOf(sent)).toBe(is)
  })

  it('is counted from the response’s own date in each of its forms too', () => {
    for (const date of [DATE, 'Wednesday, 21-Oct-15 07:28:00 GMT', 'Wed Oct 21 07:28:00 2015']) {
      expect(waitOf('Wed, 21 Oct 2015 07:28:05 GMT', { Date: date })).toBe(5_000)
    }
  })

  it('has the next century’s year where that is near', () => {
    const turn = Date.UTC(2099, 11, 31, 23, 59, 59)
    expect(parseHeaders({ 'Retry-After': 'Friday, 01-Jan-00 00:00:01 GMT' }, turn).retryAfterMs).toBe(2_000)
  })

  it('is counted from the client’s clock where the response has no date', () => {
    expect(parseHeaders({ 'Retry-After': 'Wed, 21 Oct 2015 07:28:05 GMT' }, AT).retryAfterMs).toBe(5_000)
    const soon = new Date(Date.now() + 600_000).toUTCString()
    expect(parseHeaders({ 'Retry-After': soon }).retryAfterMs).toBeGreaterThan(500_000)
  })

  it.each([
    'abc',
    'NaN',
    'Infinity',
    '-5',
    '+5',
    '1e3',
    '0x10',
    '1.',
    '.5',
    '1 2',
    '',
    ' ',
    'null',
    'undefined',
    '5s',
    '2015-10-21T07:28:05Z',
    'Wed, 21 Oct 2015 07:28:05',
    'Wed, 31 Feb 2015 07:28:05 GMT',
    'Wed, 21 Oct 2015 24:00:00 GMT',
    'Wed, 21 Foo 2015 07:28:05 GMT',
    'Wed, 00 Oct 2015 07:28:05 GMT',
    'Wed, 21 Oct 0015 07:28:05 GMT',
    'Wed,',
    ',',
    'Wed, 21 Oct 2015 07:28:61 GMT',
    'a'.repeat(10_000),
    `${'1'.repeat(10_000)}x`,
    'Wed, '.repeat(2_000),
  ])('that is malformed is ignored: %j', (sent) => {
    expect(parseHeaders({ Date: DATE, 'Retry-After': sent })).toEqual({ limits: [], stale: false })
  })

  it.each([
    { sent: '1, 3', is: 3_000 },
    { sent: ['1', '3'], is: 3_000 },
    { sent: '3, 1', is: 3_000 },
    { sent: 'abc, 3', is: 3_000 },
    { sent: 'Wed, 21 Oct 2015 07:28:05 GMT, 3', is: 5_000 },
    { sent: '9, Wed, 21 Oct 2015 07:28:05 GMT', is: 9_000 },
    { sent: 'Wed, 21 Oct 2015 07:28:05 GMT, Wednesday, 21-Oct-15 07:28:09 GMT', is: 9_000 },
  ])('on several lines is the longest: $sent', ({ sent, is }) => {
    expect(waitOf(sent)).toBe(is)
  })

  it.each([
    { headers: { 'retry-after-ms': '300' }, is: 300 },
    { headers: { 'retry-after-ms': '299.5' }, is: 300 },
    { headers: { 'x-ms-retry-after-ms': '1500', 'retry-after': '2' }, is: 2_000 },
    { headers: { 'retry-after-ms': '2500', 'retry-after': '2' }, is: 2_500 },
    { headers: { 'retry-after-ms': 'abc' }, is: undefined },
    { headers: { 'retry-after-ms': '-1' }, is: undefined },
  ])('may be in milliseconds too: $headers', ({ headers, is }) => {
    expect(parseHeaders(headers as HeaderSource).retryAfterMs).toBe(is)
  })

  it.each(['America/New_York', 'Asia/Kolkata'])('is the same for a client in %s', (zone) => {
    const before = process.env.TZ
    process.env.TZ = zone
    try {
      const asctime = 'Wed Oct 21 07:28:05 2015'
      // What a parser that takes it for local time would wait from.
      expect(Date.parse(asctime)).not.toBe(AT + 5_000)
      expect(waitOf(asctime)).toBe(5_000)
      expect(waitOf('Wednesday, 21-Oct-15 07:28:05 GMT')).toBe(5_000)
      const headers = { Date: DATE, 'X-RateLimit-Remaining': '1', 'X-RateLimit-Reset': '2015-10-21T07:28:05' }
      expect(parseHeaders(headers).limits[0]?.resetAfterMs).toBe(5_000)
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })
})
