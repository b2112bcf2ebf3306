/** A limit with a header for each of its numbers. Of several headers for a number, the first that is readable is used. */
export interface Family {
  /** The name of the limit, or the headers that contain it. */
  readonly name?: string | readonly string[]
  readonly limit?: readonly string[]
  readonly remaining: string
  readonly reset?: readonly string[]
  /** The window in seconds, or a header that contains it and the number of its units in a second. */
  readonly window?: number | readonly [header: string, unitsPerSecond: number]
  /** The meaning of a negative number of remaining tokens: none left, or an unknown number. @default 'nothing' */
  readonly negative?: 'nothing' | 'unknown'
}

const DAY = 86_400

/** Headers that many APIs send. The first family in a response is used. */
export const GENERAL: readonly Family[] = [
  {
    name: ['ratelimit-name'],
    limit: ['ratelimit-limit'],
    remaining: 'ratelimit-remaining',
    // GitLab sends seconds since 1970 under the draft's name.
    reset: ['ratelimit-reset', 'ratelimit-resettime'],
  },
  {
    // GitHub, Discord.
    name: ['x-ratelimit-resource', 'x-ratelimit-bucket'],
    limit: ['x-ratelimit-limit'],
    remaining: 'x-ratelimit-remaining',
    // Discord's does not depend on clocks; Symfony and Akamai have names of their own.
    reset: ['x-ratelimit-reset-after', 'x-ratelimit-reset', 'x-ratelimit-retry-after', 'x-ratelimit-next'],
    window: ['x-ratelimit-interval-seconds', 1],
  },
  {
    // X (Twitter); Zendesk, without `-limit`.
    limit: ['x-rate-limit-limit', 'x-rate-limit'],
    remaining: 'x-rate-limit-remaining',
    reset: ['x-rate-limit-reset'],
  },
]

/** Headers of limits with a name or a window. A response may have several of them. */
// Marked as pure, so that a bundle that does not read these headers can leave it out.
export const NAMED: readonly Family[] = /* @__PURE__ */ namedFamilies()

function namedFamilies(): readonly Family[] {
  return [
    // OpenAI, and Azure OpenAI, which sends -1 for an unknown number.
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
    // Kong. Its months and years are those of the calendar.
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
