/** Stands in for `node-response.ts` in the edge build: there is no Node. */
export function addToNodeResponse(): boolean {
  return false
}
