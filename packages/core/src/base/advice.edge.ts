// Stands in for `advice.ts` in the edge build: empty functions, so that esbuild drops the calls and their sentences.

export function advice(_text: string): string | undefined {
  return
}

export function adviceOnTokens(_value: unknown): string | undefined {
  return
}

export function adviceOnCost(_cost: unknown): string | undefined {
  return
}
