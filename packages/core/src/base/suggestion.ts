/** ` Did you mean "…"?` with the known name that is closest to a mistyped one; `''` where none is close. */
export function suggestionFor(name: string, known: readonly string[]): string {
  const nearest = known
    .map((other) => ({ other, edits: editsBetween(name, other) }))
    .sort((a, b) => a.edits - b.edits)[0]
  return nearest !== undefined && nearest.edits <= Math.min(3, name.length / 2)
    ? ` Did you mean "${nearest.other}"?`
    : ''
}

/** What to do about an unknown name: the closest known one, else all of them. */
export function adviceOnName(name: string, known: readonly string[]): string | undefined {
  return suggestionFor(name, known).trim() || `Options: ${known.join(', ')}.`
}

/** What to do about an unknown name in the options of a limiter. */
export function adviceOnLimiterOption(name: string, known: readonly string[], options: object): string | undefined {
  // An object of a class is a framework's request: the limiter was mounted without being called.
  const prototype: unknown = Object.getPrototypeOf(options)
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  if (!isPlain) return 'Call rateLimit(), and mount what it returns: app.use(rateLimit({ identify, limits })).'
  return replacementFor(name) ?? adviceOnName(name, known)
}

/**
 * What to write instead of an option, or an option's value, of other limiters or of earlier drafts.
 *
 * @param otherwise What to do about a name that is not among them, as a sentence.
 */
export function replacementFor(name: unknown, otherwise?: string): string | undefined {
  return typeof name === 'string' && Object.hasOwn(REPLACEMENTS, name) ? REPLACEMENTS[name] : otherwise
}

const LIMITS = "Write limits: [limit({ name: 'per_15_minutes', tokens: 100, per: '15m' })]."
const ON_REJECT = "Write onReject: () => ({ json: { error: 'slow down' } })."
const DRAFT_11 = 'Import draft11 and write headers: draft11. Drafts 8 to 11 have one format.'
const FAILED = 'Write cost: 1 and call settle(0) on the outcome of a request that is not to count.'
const HEADERS = 'Write headers: draft11, headers: [draft11, xRateLimit], or headers: false.'

/** The option names of express-rate-limit, @fastify/rate-limit, hono-rate-limiter, koa-ratelimit and rate-limiter-flexible. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  windowMs: LIMITS,
  timeWindow: LIMITS,
  duration: LIMITS,
  points: LIMITS,
  max: LIMITS,
  limit: LIMITS,
  keyGenerator: 'Write identify: (request) => request.customer.id. For addresses return addressKey(request.ip).',
  keyPrefix: "Write scope: 'login'.",
  handler: ON_REJECT,
  message: ON_REJECT,
  errorResponseBuilder: ON_REJECT,
  body: `Write onReject: problem(), or ${ON_REJECT.slice('Write '.length)}`,
  standardHeaders: HEADERS,
  legacyHeaders: HEADERS,
  exposeHeaders: 'Write headers: exposed(draft11).',
  allowList: 'Write skip: (request) => allowed.has(request.ip).',
  skipPreflights: 'Import preflights and write skip: preflights.',
  servers: 'Import localStore and write onStoreFailure: localStore({ servers }).',
  maxRetryAfter: 'Leave it out: a client that comes back too early is refused again.',
  whitelist: 'Write skip: (request) => allowed.has(request.ip).',
  skipSuccessfulRequests: FAILED,
  skipFailedRequests: FAILED,
  draft11: 'Import draft11 and write headers: draft11, without quotes.',
  draft7: 'Import draft7 and write headers: draft7, without quotes.',
  draft6: 'Import draft6 and write headers: draft6, without quotes.',
  xRateLimit: 'Import xRateLimit and write headers: xRateLimit, without quotes.',
  exposed: 'Import exposed and write headers: exposed(draft11).',
  preflights: 'Import preflights and write skip: preflights, without quotes.',
  localStore: 'Import localStore and write onStoreFailure: localStore({ servers: 4 }).',
  memory: 'Import MemoryStore and write store: new MemoryStore(), or leave store out.',
  'draft-10': DRAFT_11,
  'draft-9': DRAFT_11,
  'draft-11': 'Import draft11 and write headers: draft11.',
  'draft-8': DRAFT_11,
  'draft-7': 'Import draft7 and write headers: draft7.',
  'draft-6': 'Import draft6 and write headers: draft6.',
  'x-ratelimit': 'Import xRateLimit and write headers: xRateLimit.',
  problem: 'Import problem and write onReject: problem().',
  local: 'Import localStore and write onStoreFailure: localStore({ servers: 4 }).',
}

/** The edit distance of V. I. Levenshtein (1966), ignoring case. */
function editsBetween(a: string, b: string): number {
  const [from, to] = [a.toLowerCase(), b.toLowerCase()]
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
