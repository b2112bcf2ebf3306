/** Stands in for `advice.ts` in the edge build: an empty function, so that esbuild drops the calls and their texts. */
export function advice(_text: string): string | undefined {
  return
}
