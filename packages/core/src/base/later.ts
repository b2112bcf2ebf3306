// Core is compiled without DOM or Node types.
declare function setTimeout(task: () => void, ms: number): unknown
declare function clearTimeout(timer: unknown): void

/** Runs a task after some milliseconds, where a timer can be made that keeps no process alive; else never. */
export function later(task: () => void, ms: number): void {
  const timer = setTimeout(task, ms) as { unref?(): void } | number
  if (typeof timer === 'object' && timer.unref !== undefined) timer.unref()
  else clearTimeout(timer)
}
