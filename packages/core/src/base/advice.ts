/**
 * The second sentence of an error: what to do. It stands beside the check that it belongs to; the edge build drops it
 * (`advice.edge.ts`), and docs/errors.md has it.
 */
export function advice(text: string): string | undefined {
  return text
}
