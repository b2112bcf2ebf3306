import type { ServerResponse } from 'node:http'
import { perMinute } from '@rail/core'
import { addFields, mergeField, preflightsBy } from '@rail/core/adapter'
import type { Req } from '../plain-adapter.js'
import { beforeEnd, identifying, limiting, type Mutant, options, sending } from './mutant.js'

/** Sets headers when the response ends, where `passes`. */
function atTheEnd(passes: (res: ServerResponse, body: unknown) => boolean): Pick<Mutant, 'addFields'> {
  return {
    addFields: (res, { headers }) => {
      beforeEnd(res, (body) => {
        if (!res.headersSent && passes(res, body)) addFields(res, { headers })
      })
    },
  }
}

const answered = new WeakSet<ServerResponse>()

export const HEADER_MUTANTS: readonly Mutant[] = [
  {
    fault: 'it sends no Date',
    breaks: ['a moment is sent beside a Date, from which clients with another clock can count'],
    addFields: (res, { headers }) => {
      res.sendDate = false
      addFields(res, { headers })
    },
  },
  {
    fault: 'it does not look at the headers of the response',
    breaks: ['unshared headers are not on a response for shared caches, but on its refusal'],
    addFields: (res, { headers }) => addFields(res, { headers: headers.map(({ unless: _, ...field }) => field) }),
  },
  {
    fault: 'it leaves out what depends on the headers of the response',
    breaks: ['unshared headers are on every other response'],
    addFields: (res, { headers }) => addFields(res, { headers: headers.filter(({ unless }) => unless === undefined) }),
  },
  {
    fault: 'it sends headers with refusals only',
    breaks: ['the headers are on an ordinary answer'],
    ...sending((_field, { refusal }) => (refusal === undefined ? undefined : {})),
  },
  {
    fault: 'it sets headers before the handler runs, and never again',
    breaks: [
      'the headers are there when a handler throws an error',
      'the headers are there when a handler throws a string',
      "the headers are there when the app's own error handler answers",
      'the headers are there when a handler of a nested router throws',
      'headers of another service that a handler passes on are sent beside ours',
    ],
    addFields: (res, { headers }) => {
      for (const field of headers) {
        res.setHeader(field.name, mergeField(res.getHeader(field.name)?.toString(), field))
      }
    },
  },
  {
    fault: 'it limits nothing but routes',
    breaks: ['a path that is not found is counted and has the headers'],
    routesOnly: true,
  },
  {
    fault: 'it adds headers to bodies',
    breaks: [
      'the headers are on a 204',
      'the headers are on a 304',
      'the headers are on a redirect',
      'a HEAD request is counted as its GET and has the headers',
    ],
    ...atTheEnd((res, body) => body !== undefined && res.req.method !== 'HEAD'),
  },
  {
    fault: 'it adds headers at the end',
    breaks: [
      'the headers are on a streamed body, which comes whole',
      'the headers are on a response that goes past the framework',
    ],
    ...atTheEnd(() => true),
  },
  {
    fault: 'it adds headers to successful responses',
    breaks: ['a timeout that answers after the limiter has the headers'],
    ...atTheEnd((res) => res.statusCode < 500),
  },
  {
    fault: 'it replaces headers that are there',
    breaks: [
      'headers of another service that a handler passes on are sent beside ours',
      'headers that are set before the limiter are sent beside ours, and the larger Retry-After wins',
      'two limiters make two lists and one Retry-After',
      'exposed names are sent beside those that CORS exposes, on refusals too',
      'of two limiters the tightest is sent, all of it: tight-limiter-first',
    ],
    ...sending(() => ({ merge: 'replace' })),
  },
  {
    fault: 'it leaves headers to the first limiter',
    breaks: ['of two limiters the tightest is sent, all of it: tight-limiter-last'],
    outcome: (outcome, _req, res) => {
      const headers = answered.has(res) ? [] : outcome.headers
      answered.add(res)
      return { ...outcome, headers }
    },
  },
  {
    fault: 'it sends the first limit where there is room for one',
    breaks: ['styles with room for one limit send the tightest, beside the default'],
    ...sending(({ merge }, { decision }) =>
      merge === 'tightest' ? { value: String(decision?.limits[0]?.remaining) } : {},
    ),
  },
  {
    fault: 'it has the default style only',
    breaks: ['draft-7 sends all policies and the tightest limit'],
    ...options(() => ({ headers: undefined })),
  },
  {
    fault: 'it sends names as they are',
    breaks: ['names are escaped as in structured fields'],
    ...sending(({ value }) => ({ value: value.replaceAll(/\\(.)/g, '$1') })),
  },
  {
    fault: 'it sends headers that are off',
    breaks: ['headers that are off leave Retry-After on refusals'],
    ...options(() => ({ headers: undefined })),
  },
  {
    fault: 'it counts anonymous requests as one customer',
    breaks: ['an anonymous request has no headers and is not counted'],
    ...identifying((key) => key ?? 'anonymous'),
  },
  {
    fault: 'it has a limit for plans without one',
    breaks: ['a customer whose plan has no limits has no headers and is not counted'],
    ...limiting((limits) => (Array.isArray(limits) && limits.length === 0 ? [perMinute(2)] : limits)),
  },
  {
    fault: 'it skips nobody',
    breaks: ['a skipped request has no headers and is not counted'],
    ...options(() => ({ skip: undefined })),
  },
  {
    fault: 'it refuses in a dry run',
    breaks: ['a dry run counts and reports, but sends no headers and refuses nobody'],
    ...options(() => ({ dryRun: false })),
  },
  {
    fault: 'it skips all OPTIONS requests',
    breaks: ['preflights are not counted with skip: preflights; other OPTIONS requests are'],
    ...options(() => ({ skip: (req: Req) => req.method === 'OPTIONS' })),
  },
  {
    fault: 'it skips preflights whoever sends them',
    breaks: ['a request that looks like a preflight and has credentials is counted'],
    ...options(() => ({
      skip: (req: Req) => req.method === 'OPTIONS' && 'access-control-request-method' in req.headers,
    })),
  },
  {
    fault: 'it skips preflights with a body',
    breaks: ['a request that looks like a preflight and has a body is counted'],
    ...options(() => ({
      skip: (req: Req) =>
        req.headers.origin !== undefined &&
        !['authorization', 'cookie', 'x-api-key'].some((name) => name in req.headers) &&
        req.method === 'OPTIONS',
    })),
  },
  {
    fault: 'it skips preflights with an API key',
    breaks: ['a request that looks like a preflight and has credentials is counted'],
    ...options(() => ({
      skip: (req: Req) =>
        req.headers.origin !== undefined &&
        !['authorization', 'cookie', 'content-type'].some((name) => name in req.headers) &&
        req.method === 'OPTIONS',
    })),
  },
  {
    fault: 'it knows no credentials of an API',
    breaks: ['credentials of an API are named by preflights({ headers, query })'],
    ...options(({ skip }) => ({
      skip:
        skip &&
        preflightsBy<Req>((req) => ({
          method: req.method as string,
          url: '/',
          header: (name) => req.headers[name],
        })),
    })),
  },
  {
    fault: 'it skips preflights by default',
    breaks: ["preflights with a customer's key are counted by default"],
    ...options(() => ({
      skip: preflightsBy<Req>((req) => ({
        method: req.method as string,
        url: req.url as string,
        header: (name) => req.headers[name],
      })),
    })),
  },
]
