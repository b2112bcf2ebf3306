/** Runs a task once, later, and returns how to call it off. Injected in tests, so that they need not wait. */
export type Schedule = (task: () => void, afterMs: number) => () => void

/** Timers that keep no process alive. */
export const unrefSchedule: Schedule = (task, afterMs) => {
  const timer = setTimeout(task, afterMs).unref()
  return () => clearTimeout(timer)
}
