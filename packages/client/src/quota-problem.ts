import type { Timer } from './timer.js'

/** A problem document has a few lines. One that is longer, or takes longer, is not read to its end. */
const MOST_BYTES = 65_536
const MOST_MS = 5_000

/**
 * The type of a refusal's problem details (RFC 9457), if it is one of `types`; otherwise `undefined`. It reads a copy, so that
 * the body stays unread.
 */
export async function quotaTypeOf(
  response: Response,
  types: readonly string[],
  timer: Timer,
): Promise<string | undefined> {
  if (types.length === 0 || !/^application\/problem\+json\b/i.test(response.headers.get('Content-Type') ?? '')) return
  try {
    const type = typeIn(await textOf(response.clone(), timer))
    return types.find((known) => known === type)
  } catch {
    return undefined
  }
}

function typeIn(text: string): unknown {
  const problem: unknown = JSON.parse(text)
  return typeof problem === 'object' && problem !== null && 'type' in problem ? problem.type : undefined
}

async function textOf(copy: Response, timer: Timer): Promise<string> {
  const reader = copy.body?.getReader()
  if (reader === undefined) return ''
  const stop = (): void => void reader.cancel().catch(() => {})
  const cancelTimer = timer(stop, MOST_MS)
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; bytes <= MOST_BYTES; ) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.byteLength
    text += decoder.decode(value, { stream: true })
  }
  cancelTimer()
  stop()
  return text
}
