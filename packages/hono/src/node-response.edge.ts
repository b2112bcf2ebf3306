/** Stands in for `node-response.ts` in the edge build: there is no Node. */
export function addToNodeResponse(): boolean {
  return false
}

/** Some edge runtimes give each request a `body`, even where it is empty, so only headers tell. */
export function hasBody(): boolean {
  return false
}
