/** Runs a task once, after a time, and returns a function that cancels it. Tests inject their own, so that they need not wait. */
export type Schedule = (task: () => void, afterMs: number) => () => void

/** Timers that do not keep the process alive. A long wait is several timers: `setTimeout` fires at once beyond 2^31 - 1 milliseconds. */
export const unrefSchedule: Schedule = (task, afterMs) => {
  let timer: NodeJS.Timeout
  const wait = (leftMs: number): void => {
    const after = (): void => (leftMs > LONGEST_MS ? wait(leftMs - LONGEST_MS) : task())
    timer = setTimeout(after, Math.min(leftMs, LONGEST_MS)).unref()
  }
  wait(afterMs)
  return () => clearTimeout(timer)
}

const LONGEST_MS = 2 ** 31 - 1

/** Keeps the process alive until a promise is settled: the timers and sockets of this package do not. */
export async function keepingAlive<Value>(promise: Promise<Value>): Promise<Value> {
  const timer = setInterval(() => {}, 60_000)
  try {
    return await promise
  } finally {
    clearInterval(timer)
  }
}
