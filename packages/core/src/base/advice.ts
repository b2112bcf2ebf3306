/*
 * The second sentence of an error: what to do. It stands beside the check that it belongs to. The edge build drops it
 * (`advice.edge.ts`); docs/errors.md has it.
 */

export function advice(text: string): string | undefined {
  return text
}

/** What to do about a value that is not a number. */
function adviceOnNumber(value: unknown): string {
  return typeof value === 'number'
    ? 'Number(undefined) is NaN: check what you pass to it.'
    : 'Convert it with Number().'
}

/** What to do about an impossible number of tokens in a limit. */
export function adviceOnTokens(value: unknown): string | undefined {
  if (typeof value !== 'number' || Number.isNaN(value)) return adviceOnNumber(value)
  if (value === Number.POSITIVE_INFINITY) return 'For no limit leave the limit out: limits may be [].'
  if (Number.isFinite(value) && !Number.isInteger(value)) return "Round it, or use a longer window: 3 per '2s'."
  return value < 1 ? 'To refuse every request, answer before the limiter.' : undefined
}

/** What to do about an impossible cost. */
export function adviceOnCost(cost: unknown): string | undefined {
  if (typeof cost !== 'number' || Number.isNaN(cost)) return adviceOnNumber(cost)
  if (cost < 0) return 'Use 0 for a free request, and settle() to give tokens back.'
  return Number.isInteger(cost) || cost === Number.POSITIVE_INFINITY
    ? 'Lower it: a cost above the burst never fits.'
    : 'Round it up: Math.ceil(bytes / 1024).'
}
