import type { ServerResponse } from 'node:http'
import { perMinute } from '@rail/core'
import { addFields, isPreflight, mergeField } from '@rail/core/adapter'
import type { Req } from '../plain-adapter.js'
import { beforeEnd, identifying, limiting, type Mutant, options, sending } from './mutant.js'

/** Sets fields when the response ends, where `passes`. */
function atTheEnd(passes: (res: ServerResponse, body: unknown) => boolean): Pick<Mutant, 'addFields'> {
  return {
    addFields: (res, owner, { headers }) => {
      beforeEnd(res, (body) => {
        if (!res.headersSent && passes(res, body)) addFields(res, owner, headers)
      })
    },
  }
}

const answered = new WeakSet<ServerResponse>()

export const FIELD_MUTANTS: readonly Mutant[] = [
  {
    fault: 'it sends fields with refusals only',
    breaks: ['the fields are on an ordinary answer'],
    ...sending((_field, { refusal }) => (refusal === undefined ? undefined : {})),
  },
  {
    fault: 'it sets fields before the handler runs, and never again',
    breaks: [
      'the fields are there when a handler throws an error',
      'the fields are there when a handler throws a text',
      "the fields are there when the app's own error handler answers",
      'the fields are there when a handler of a nested router throws',
      'fields of another service that a handler passes on stand beside ours',
    ],
    addFields: (res, _owner, { headers }) => {
      for (const field of headers) {
        res.setHeader(field.name, mergeField(res.getHeader(field.name)?.toString(), field))
      }
    },
  },
  {
    fault: 'it limits nothing but routes',
    breaks: ['a path that is not found is counted and has the fields'],
    routesOnly: true,
  },
  {
    fault: 'it adds fields to bodies',
    breaks: [
      'the fields are on a 204',
      'the fields are on a 304',
      'the fields are on a redirect',
      'a HEAD request is counted as its GET and has the fields',
    ],
    ...atTheEnd((res, body) => body !== undefined && res.req.method !== 'HEAD'),
  },
  {
    fault: 'it adds fields at the end',
    breaks: [
      'the fields are on a streamed body, which comes whole',
      'the fields are on a response that goes past the framework',
    ],
    ...atTheEnd(() => true),
  },
  {
    fault: 'it adds fields to what went well',
    breaks: ['a timeout that answers after the limiter has the fields'],
    ...atTheEnd((res) => res.statusCode < 500),
  },
  {
    fault: 'it replaces fields that are there',
    breaks: [
      'fields of another service that a handler passes on stand beside ours',
      'fields that are there before the limiter stand beside ours, and the larger Retry-After wins',
      'two limiters make two lists and one Retry-After',
      'exposed names stand beside those that CORS exposes, on refusals too',
      'of two limiters the tightest is told, all of it: tight-limiter-first',
    ],
    ...sending(() => ({ merge: 'replace' })),
  },
  {
    fault: 'it leaves fields to the first limiter',
    breaks: ['of two limiters the tightest is told, all of it: tight-limiter-last'],
    outcome: (outcome, _req, res) => {
      const headers = answered.has(res) ? [] : outcome.headers
      answered.add(res)
      return { ...outcome, headers }
    },
  },
  {
    fault: 'it tells the first limit where there is room for one',
    breaks: ['styles that tell one limit tell the tightest, and stand beside the default'],
    ...sending(({ merge }, { decision }) =>
      merge === 'tightest' ? { value: String(decision?.limits[0]?.remaining) } : {},
    ),
  },
  {
    fault: 'it knows the default style only',
    breaks: ['draft-7 tells all policies and the tightest limit'],
    ...options(() => ({ headers: undefined })),
  },
  {
    fault: 'it sends names as they are',
    breaks: ['names are escaped as structured fields ask for'],
    ...sending(({ value }) => ({ value: value.replaceAll(/\\(.)/g, '$1') })),
  },
  {
    fault: 'it sends headers that are off',
    breaks: ['headers that are off leave Retry-After on refusals'],
    ...options(() => ({ headers: undefined })),
  },
  {
    fault: 'it counts anonymous requests as one customer',
    breaks: ['an anonymous request has no fields and is not counted'],
    ...identifying((key) => key ?? 'anonymous'),
  },
  {
    fault: 'it has a limit for plans without one',
    breaks: ['a customer whose plan has no limits has no fields and is not counted'],
    ...limiting((limits) => (Array.isArray(limits) && limits.length === 0 ? [perMinute(2)] : limits)),
  },
  {
    fault: 'it skips nobody',
    breaks: ['a skipped request has no fields and is not counted'],
    ...options(() => ({ skip: undefined })),
  },
  {
    fault: 'it refuses in a dry run',
    breaks: ['a dry run counts and tells, but sends no fields and refuses nobody'],
    ...options(() => ({ dryRun: false })),
  },
  {
    fault: 'it skips all OPTIONS requests',
    breaks: ['preflights are not counted where the limiter is told so; other OPTIONS requests are'],
    ...options(() => ({ skip: (req: Req) => req.method === 'OPTIONS' })),
  },
  {
    fault: 'it skips preflights whoever sends them',
    breaks: ['what looks like a preflight and carries credentials is counted all the same'],
    ...options(() => ({
      skip: (req: Req) => req.method === 'OPTIONS' && 'access-control-request-method' in req.headers,
    })),
  },
  {
    fault: 'it skips preflights unasked',
    breaks: ["preflights with a customer's key are counted unless told otherwise"],
    ...options(() => ({
      skip: (req: Req) => isPreflight({ method: req.method as string, header: (name) => req.headers[name] }),
    })),
  },
]
