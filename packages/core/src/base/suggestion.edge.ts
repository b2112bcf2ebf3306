/** Stands in for `suggestion.ts` in the edge build, which suggests nothing: docs/errors.md has the names of other limiters. */
export function suggestionFor(_name: string, _known: readonly string[]): string {
  return ''
}

export function adviceOnName(_name: string, _known: readonly string[]): string | undefined {
  return
}

export function adviceOnLimiterOption(_name: string, _known: readonly string[], _options: object): string | undefined {
  return
}

export function replacementFor(_name: unknown, _otherwise?: string): string | undefined {
  return
}
