/** A limit that is told by a field for each of its numbers. Where there are several fields, the first that is readable. */
export interface Family {
  /** What the limit is called, or the fields whose text is its name. */
  readonly name?: string | readonly string[]
  readonly limit?: readonly string[]
  readonly remaining: string
  readonly reset?: readonly string[]
  /** The window in seconds, or a field that tells it and how many of its units are a second. */
  readonly window?: number | readonly [field: string, perSecond: number]
  /** What a negative number left means: nothing left, or that nobody knows. @default 'nothing' */
  readonly negative?: 'nothing' | 'unknown'
}

const DAY = 86_400

/** Fields that many APIs send, of which the first family that is there counts. */
export const GENERAL: readonly Family[] = [
  {
    name: ['ratelimit-name'],
    limit: ['ratelimit-limit'],
    remaining: 'ratelimit-remaining',
    // GitLab: seconds since 1970 under the draft's name.
    reset: ['ratelimit-reset', 'ratelimit-resettime'],
  },
  {
    // GitHub, Discord.
    name: ['x-ratelimit-resource', 'x-ratelimit-bucket'],
    limit: ['x-ratelimit-limit'],
    remaining: 'x-ratelimit-remaining',
    // Discord's is free of clock skew; Symfony's and Akamai's have names of their own.
    reset: ['x-ratelimit-reset-after', 'x-ratelimit-reset', 'x-ratelimit-retry-after', 'x-ratelimit-next'],
    window: ['x-ratelimit-interval-seconds', 1],
  },
  {
    // X (Twitter); Zendesk, which has no `-limit`.
    limit: ['x-rate-limit-limit', 'x-rate-limit'],
    remaining: 'x-rate-limit-remaining',
    reset: ['x-rate-limit-reset'],
  },
]

/** Fields that tell a limit by its name or its window. Several of them may be there at once. */
// Marked, as a bundle that reads no vendor's fields could not leave it out otherwise.
export const NAMED: readonly Family[] = /* @__PURE__ */ namedFamilies()

function namedFamilies(): readonly Family[] {
  return [
    // OpenAI, and Azure OpenAI, which sends -1 for what it does not know.
    ...['requests', 'tokens', 'input-tokens', 'output-tokens', 'tokens_usage_based'].map(
      (name): Family => ({
        name,
        limit: [`x-ratelimit-limit-${name}`],
        remaining: `x-ratelimit-remaining-${name}`,
        reset: [`x-ratelimit-reset-${name}`],
        negative: 'unknown',
      }),
    ),
    // Anthropic.
    ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map(
      (name): Family => ({
        name,
        limit: [`anthropic-ratelimit-${name}-limit`],
        remaining: `anthropic-ratelimit-${name}-remaining`,
        reset: [`anthropic-ratelimit-${name}-reset`],
      }),
    ),
    // Kong. Its months and years are the calendar's.
    ...Object.entries({ second: 1, minute: 60, hour: 3600, day: DAY, month: 0, year: 0 }).map(
      ([name, window]): Family => ({
        name,
        limit: [`x-ratelimit-limit-${name}`],
        remaining: `x-ratelimit-remaining-${name}`,
        window,
      }),
    ),
    // X (Twitter).
    ...['user', 'app'].map(
      (name): Family => ({
        name: `${name}-24hour`,
        limit: [`x-${name}-limit-24hour-limit`],
        remaining: `x-${name}-limit-24hour-remaining`,
        reset: [`x-${name}-limit-24hour-reset`],
        window: DAY,
      }),
    ),
    // HubSpot.
    {
      name: 'daily',
      limit: ['x-hubspot-ratelimit-daily'],
      remaining: 'x-hubspot-ratelimit-daily-remaining',
      window: DAY,
    },
    {
      name: 'secondly',
      limit: ['x-hubspot-ratelimit-secondly'],
      remaining: 'x-hubspot-ratelimit-secondly-remaining',
      window: 1,
    },
    {
      name: 'interval',
      limit: ['x-hubspot-ratelimit-max'],
      remaining: 'x-hubspot-ratelimit-remaining',
      window: ['x-hubspot-ratelimit-interval-milliseconds', 1000],
    },
    // Azure Resource Manager.
    ...['reads', 'writes', 'deletes'].map(
      (name): Family => ({
        name: `subscription-${name}`,
        remaining: `x-ms-ratelimit-remaining-subscription-${name}`,
        negative: 'unknown',
      }),
    ),
  ]
}
