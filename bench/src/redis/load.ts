/** What is done once for each request: anything that ends when Redis has answered. */
export type Work = (request: number) => PromiseLike<unknown>

/** How one contestant did in one round. */
export interface Round {
  readonly perSecond: number
  /** Microseconds in Redis's scripts for each request; 0 where it ran none. */
  readonly scriptUs: number
}

/** Keeps so many requests in the air for so many milliseconds. */
async function perSecondOf(
  work: Work,
  concurrency: number,
  ms: number,
): Promise<{ perSecond: number; requests: number }> {
  let requests = 0
  const from = performance.now()
  const until = from + ms
  const worker = async (): Promise<void> => {
    while (performance.now() < until) await work(requests++)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return { perSecond: (requests / (performance.now() - from)) * 1_000, requests }
}

/** Contestants in turns, round after round, so that what the machine does otherwise meets all of them. */
export async function inTurns<Name extends string>(
  contestants: Readonly<Record<Name, Work>>,
  { concurrency, rounds, ms }: { concurrency: number; rounds: number; ms: number },
  info: () => Promise<string>,
): Promise<Record<Name, Round[]>> {
  const names = Object.keys(contestants) as Name[]
  const found = Object.fromEntries(names.map((name) => [name, [] as Round[]])) as Record<Name, Round[]>
  for (const name of names) await perSecondOf(contestants[name], concurrency, ms)
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const before = scriptUsOf(await info())
      const { perSecond, requests } = await perSecondOf(contestants[name], concurrency, ms)
      found[name].push({ perSecond, scriptUs: (scriptUsOf(await info()) - before) / requests })
    }
  }
  return found
}

/** Microseconds that Redis has spent in scripts, as `INFO commandstats` says. */
function scriptUsOf(info: string): number {
  return [...info.matchAll(/cmdstat_eval(?:sha)?:calls=\d+,usec=(\d+)/g)].reduce((sum, [, us]) => sum + Number(us), 0)
}
